// SPDX-License-Identifier: BSD-3-Clause
#include "enrolment/talk.hpp"

#include "certificates/tls_context.hpp"
#include "posix/unique_fd.hpp"

#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/enrolment/enrolment.hpp"

#include <utility>

namespace tune {

namespace {

namespace fs = std::filesystem;

/// @errors naming the file that is in the way.
expected<void> is_free(const fs::path& directory) {
  const auto paths = certificate_paths_in(directory);
  for (const auto& x : {paths.certificate, paths.key, paths.authority}) {
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(x, ignored)))
      return error{ec::refused, x.string() + " is there already"};
  }
  return {};
}

expected<enrolment::grant> ask(const peer_address& head, const enrolment::wish& what,
                               probe_deadline until) {
  auto connected = open_connection(head, until);
  if (!connected)
    return connected.error();
  const unique_fd socket{*connected};
  auto context = make_pinning_context(what.token.authority);
  if (!context)
    return context.error();
  auto session = tls_session::over(context->get(), socket.get(), tls_session::side::connects);
  if (!session)
    return session.error();
  if (auto shaken = enrolment::shake(*session, socket.get(), until); !shaken)
    return error{ec::unreachable,
                 "no head with the CA of this token answers there: " + shaken.error().detail};
  if (auto said = enrolment::say(*session, socket.get(), enrolment::to_json(what), until); !said)
    return said.error();
  auto answer = enrolment::hear(*session, socket.get(), until);
  if (!answer)
    return answer.error();
  return enrolment::grant_from_json(*answer);
}

} // namespace

expected<std::string> enrol(const peer_address& head, const join_token& token,
                            const node_names& whom, const fs::path& directory,
                            std::chrono::milliseconds patience) {
  if (auto free = is_free(directory); !free)
    return free.error();
  auto mine = make_certificate_request(whom.name);
  if (!mine)
    return mine.error();
  auto got = ask(head, {token, whom, mine->request}, std::chrono::steady_clock::now() + patience);
  if (!got)
    return error{got.error().code, to_text(head) + ": " + got.error().detail};
  auto facts = read_certificate(got->certificate);
  auto authority = read_certificate(got->authority);
  if (!facts || !authority || authority->fingerprint != token.authority
      || !is_signed_by(got->certificate, got->authority) || !key_fits(got->certificate, mine->key))
    return error{ec::protocol, to_text(head) + ": what came is no certificate of the token's CA"};
  if (auto kept = keep_certificates(directory, {got->certificate, mine->key}, got->authority);
      !kept)
    return kept.error();
  return facts->name;
}

} // namespace tune
