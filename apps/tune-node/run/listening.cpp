// SPDX-License-Identifier: BSD-3-Clause
#include "run/listening.hpp"

#include "console/text.hpp"
#include "run/run_words.hpp"

#include "tune/core/program_name.hpp"

namespace tune::cli {

expected<peer_address> open_to_workers(standalone_run& run, listen_options port,
                                       const std::string& certs,
                                       const std::shared_ptr<screen>& shown) {
  port.say = [shown](const std::string& text) { shown->say(printable(text)); };
  auto how = reaching_words(certs, port.cluster, !port.how.identity, "--cluster");
  auto opened = run.listen(std::move(port));
  if (!opened)
    return opened.error();
  shown->say(printable("workers may join: "
                       + program_call("worker --join " + to_text(reachable(*opened)) + how)));
  return opened;
}

} // namespace tune::cli
