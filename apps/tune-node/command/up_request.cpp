// SPDX-License-Identifier: BSD-3-Clause
#include "command/up_request.hpp"

#include "command/command_options.hpp"

#include <csignal>
#include <utility>

namespace tune::cli {

expected<request> up_from(const read_result& x, const command_doc& where) {
  const auto options = options_of_up();
  up_request result;
  result.run.notice_signal = SIGUSR1;
  if (auto done = read_options(x, options, result, where); !done)
    return done.error();
  if (!result.worker.certs.empty() && !result.meet_at)
    return wrong("--certs is for --rendezvous HOST:PORT: in a directory, certificates are made on "
                 "the way",
                 &where);
  result.run.file = x.positionals[0];
  result.run.overrides = x.overrides;
  result.run.command = "up";
  // Which task it is, each finds out by itself.
  result.run.own_words = own_words(x, options);
  return request{std::move(result)};
}

} // namespace tune::cli
