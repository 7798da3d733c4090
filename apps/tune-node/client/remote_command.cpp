// SPDX-License-Identifier: BSD-3-Clause
#include "client/remote_command.hpp"

#include "client/reach_head.hpp"
#include "console/text.hpp"
#include "run/ending.hpp"
#include "tune/core/program_name.hpp"
#include "tune/net/system.hpp"

#include <cstring>
#include <iostream>
#include <string>

namespace tune::cli {

namespace {

/// What a shell adds to the number of the signal that ended a process.
constexpr int of_signal = 128;

/// Fault of a command whose process at the head was ended by a signal: this is no end of its own.
error ended_there(const head_addresses& head, int number) {
  const auto* name = ::sigabbrev_np(number);
  return {ec::unreachable,
          to_text(head)
              + ": the process that carries the command out there was "
                "ended by signal "
              + std::to_string(number) + (name != nullptr ? std::string{" (SIG"} + name + ")" : "")
              + ": its answer is not whole, and what it had to do may not be done"};
}

bool write_piece(std::string_view out, std::string_view err) {
  std::cerr << err << std::flush;
  std::cout << out << std::flush;
  return static_cast<bool>(std::cout);
}

[[gnu::noinline]] exit_code ask(const at_head_request& what, const transport& how,
                                const table_look& look, const output_taker& take) noexcept {
  network_config config{how};
  caf::actor_system system{config};
  auto link = connect_to(system, what.head, how, what.cluster);
  if (!link)
    return complain(link.error());
  auto status = (*link)->carry_out(whole_command(what, how, look), take ? take : write_piece);
  if (!status)
    return complain({status.error().code, to_text(what.head) + ": " + status.error().detail});
  if (*status > of_signal)
    return complain(ended_there(what.head, *status - of_signal));
  return static_cast<exit_code>(*status);
}

} // namespace

remote_command whole_command(const at_head_request& what, const transport& how,
                             const table_look& look) {
  auto result = what.command;
  result.reaching = words_reaching(what.head, what.certs, what.cluster, !how.identity);
  result.program = called_program();
  result.columns = look.width;
  result.options.emplace_back(look.colors.has_color() ? "--color=always" : "--color=never");
  return result;
}

exit_code ask_head(const at_head_request& what, const table_look& look, const output_taker& take) {
  auto how = begin_as_client(what.head, what.certs, what.insecure_plaintext);
  return how ? ask(what, *how, look, take) : complain(how.error());
}

} // namespace tune::cli
