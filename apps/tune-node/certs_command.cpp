// SPDX-License-Identifier: BSD-3-Clause
#include "certs_command.hpp"

#include "console/text.hpp"
#include "output/write_certificates.hpp"
#include "output/write_rows.hpp"
#include "tune/io/certificates/revocation_list.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace tune::cli {
namespace {

namespace fs = std::filesystem;

/// The machine's name, reduced to characters that are allowed in a certificate.
std::string name_of_machine() {
  std::array<char, 256> text{};
  if (::gethostname(text.data(), text.size() - 1) != 0)
    return "node";
  std::string result{text.data()};
  constexpr std::size_t longest = 64;
  result.resize(std::min(result.size(), longest));
  for (auto& c : result)
    if (!is_node_name({&c, 1}) && c != '.' && c != '-' && c != '_')
      c = '-';
  return is_node_name(result) ? result : "node";
}

fs::path certs_directory(const certs_request& what) {
  return what.directory.empty() ? default_certificate_directory() : fs::path{what.directory};
}

certificate_order order_of(const certs_request& what, std::string name) {
  certificate_order result;
  result.whom = {std::move(name), what.hosts};
  result.lifetime = what.lifetime;
  result.force = what.force;
  return result;
}

expected<void> show(const fs::path& where, output_format format, const table_look& look,
                    std::ostream& out) {
  auto found = find_certificates(where);
  if (!found)
    return found.error();
  write_certificates(*found, calendar_now(), format, look, out);
  return {};
}

expected<void> init(const certs_request& what, output_format format, const table_look& look,
                    std::ostream& out) {
  auto directory = certs_directory(what);
  auto made = init_certificates(directory, what.cluster, order_of(what, name_of_machine()));
  if (!made)
    return made.error();
  if (format == output_format::table) {
    out << (made->made_authority ? "made a CA and a certificate for this machine"
            : made->made_node    ? "made a certificate for this machine"
                                 : "nothing to do, everything is there")
        << " in " << printable(directory.string()) << "\n";
  }
  return show(directory, format, look, out);
}

expected<void> issue(const certs_request& what, output_format format, const table_look& look,
                     std::ostream& out) {
  auto directory = certs_directory(what);
  auto to = what.out.empty() ? directory : fs::path{what.out};
  auto done = issue_certificates(directory, to, order_of(what, what.subject));
  if (!done)
    return done;
  if (format == output_format::table) {
    out << "issued a certificate for " << what.subject << " in " << printable(to.string()) << "\n";
    if (!what.out.empty())
      out << "copy this directory to the node, as its certificate directory; its key is secret\n";
  }
  return show(certificate_paths_in(to).certificate, format, look, out);
}

expected<void> rotate(const certs_request& what, output_format format, const table_look& look,
                      std::ostream& out) {
  auto directory = certs_directory(what);
  auto whose = what.out.empty() ? directory : fs::path{what.out};
  if (auto done = rotate_certificates(directory, whose, what.lifetime, calendar_now()); !done)
    return done;
  if (format == output_format::table)
    out << "renewed the certificate in " << printable(whose.string())
        << "; running processes use it for new connections\n";
  return show(certificate_paths_in(whose).certificate, format, look, out);
}

expected<void> revoke(const certs_request& what, output_format format, std::ostream& out) {
  const auto directory = certs_directory(what);
  auto authority = certificate_paths_in(directory).authority;
  if (auto there = find_certificates(authority); !there)
    return there.error();
  if (auto done = revoke_certificate(directory, what.subject, calendar_now()); !done)
    return done;
  const auto file = revocation_file_in(directory);
  auto list = load_revocations(file);
  if (!list)
    return list.error();
  if (format == output_format::table)
    out << "revoked " << printable(what.subject)
        << (what.subject.find('/') == what.subject.npos
                ? ", and certificates that tokens gave under that name"
                : "")
        << "; a head with this directory hangs up on it now, others as soon as they have "
        << printable(file.string()) << "\n";
  else
    write_row(object{{"file", file.string()},
                     {"revoked", what.subject},
                     {"entries", static_cast<std::int64_t>(list->size())}},
              format, out);
  return {};
}

expected<void> make_token(const certs_request& what, output_format format, std::ostream& out) {
  const auto directory = certs_directory(what);
  const auto now = calendar_now();
  auto authority = can_sign(directory, now);
  if (!authority)
    return authority.error();
  auto made = token_book{directory}.make(authority->fingerprint, what.token, now);
  if (!made)
    return made.error();
  if (format == output_format::table)
    out << to_text(*made) << "\n";
  else
    write_row(object{{"token", to_text(*made)},
                     {"uses", std::int64_t{what.token.uses}},
                     {"expires", iso_text(now + what.token.lifetime)}},
              format, out);
  return {};
}

} // namespace

expected<void> run_certs(const certs_request& what, output_format format, const table_look& look,
                         std::ostream& out) {
  switch (what.what) {
    case certs_request::action::init:
      return init(what, format, look, out);
    case certs_request::action::issue:
      return issue(what, format, look, out);
    case certs_request::action::rotate:
      return rotate(what, format, look, out);
    case certs_request::action::revoke:
      return revoke(what, format, out);
    case certs_request::action::token:
      return make_token(what, format, out);
    case certs_request::action::show:
      break;
  }
  return show(what.subject.empty() ? certs_directory(what) : fs::path{what.subject}, format, look,
              out);
}

exit_code certs_exit_code(ec what) {
  return what == ec::bad_option ? exit_code::usage : exit_code_for(what);
}

} // namespace tune::cli
