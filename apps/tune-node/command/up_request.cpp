// SPDX-License-Identifier: BSD-3-Clause
#include "command/up_request.hpp"

#include "command/option_reading.hpp"
#include "command/option_values.hpp"

#include <csignal>

namespace tune::cli {

namespace {

int signal_from(const std::string& name) {
  if (name == "none")
    return 0;
  return name == "USR2" ? SIGUSR2 : SIGUSR1;
}

expected<void> read_count(const read_result& from, std::string_view option, std::int64_t least,
                          std::optional<std::uint64_t>& to, const command_doc& where) {
  auto given = from.text(option);
  if (!given)
    return {};
  auto number = count_from(*given, "--" + std::string{option}, least, where);
  if (!number)
    return number.error();
  to = *number;
  return {};
}

/// "HOST:PORT" is an address, unless it has a slash; everything else is a directory.
void read_rendezvous(const read_result& from, up_request& to) {
  auto given = from.text("rendezvous");
  if (!given)
    return;
  auto address = given->find('/') == given->npos ? peer_address_from(*given)
                                                 : expected<peer_address>{error{}};
  if (address)
    to.meet_at = *address;
  else
    to.rendezvous = *given;
}

} // namespace

expected<request> up_from(const read_result& x, const command_doc& where) {
  up_request result;
  result.run.file = x.positionals[0];
  result.run.strict = x.has("strict");
  result.run.overrides = x.overrides;
  result.run.command = "up";
  // Which task it is, each finds out by itself.
  result.run.own_words = own_words(x, where, {"strict", "rank", "name"});
  result.run.notice_signal = signal_from(x.text("notice").value_or("USR1"));
  result.worker.name = x.text("name").value_or("");
  result.worker.certs = x.text("certs").value_or("");
  result.worker.work = x.text("work").value_or("");
  read_rendezvous(x, result);
  auto time = [](const std::string& text) { return time_from(text); };
  for (const auto& done :
       {read_count(x, "number", 1, result.size, where),
        read_count(x, "rank", 0, result.rank, where), read_offers(x, result.worker.offers, where),
        read_option(x, "join-timeout", result.worker.join_timeout, time, where),
        read_option(x, "leave-grace", result.worker.leave_grace, time, where)}) {
    if (!done)
      return done.error();
  }
  if (x.text("rendezvous") == "")
    return wrong("--rendezvous needs a directory, or HOST:PORT", &where);
  if (x.has("certs") && !result.meet_at)
    return wrong("--certs is for --rendezvous HOST:PORT: in a directory, certificates are made on "
                 "the way",
                 &where);
  return request{std::move(result)};
}

} // namespace tune::cli
