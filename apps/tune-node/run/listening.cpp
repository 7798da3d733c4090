// SPDX-License-Identifier: BSD-3-Clause
#include "run/listening.hpp"

#include "console/text.hpp"
#include "run/run_words.hpp"

#include "tune/core/program_name.hpp"

namespace tune::cli {

expected<void> open_to_workers(head_services& place, listen_options port, const std::string& certs,
                               const std::shared_ptr<screen>& shown) {
  port.say = [shown](const std::string& text) { shown->say(printable(text)); };
  auto where = port.where;
  auto how = reaching_words(certs, port.cluster, !port.how.identity, "--cluster");
  auto opened = place.listen(std::move(port));
  if (!opened)
    return opened.error();
  where.port = *opened;
  shown->say(printable("workers may join: "
                       + program_call("worker --join " + to_text(reachable(where)) + how)));
  return {};
}

} // namespace tune::cli
