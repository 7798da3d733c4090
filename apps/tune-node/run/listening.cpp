// SPDX-License-Identifier: BSD-3-Clause
#include "run/listening.hpp"

#include "console/text.hpp"
#include "run/run_words.hpp"

#include "tune/core/program_name.hpp"

namespace tune::cli {

void prepare_for_workers(standalone_run& run, listen_options port,
                         const std::shared_ptr<screen>& shown) {
  port.say = [shown](const std::string& text) { shown->say(printable(text)); };
  if (port.scaling)
    port.scaling->host = reachable(port.where).host;
  run.prepare(std::move(port));
}

std::string joining_text(const peer_address& where, const cluster_section& cluster) {
  auto how = reaching_words(cluster.certs, cluster.name, cluster.insecure_plaintext, "--cluster");
  return printable("workers may join: "
                   + program_call("worker --join " + to_text(reachable(where)) + how));
}

} // namespace tune::cli
