// SPDX-License-Identifier: BSD-3-Clause
#include "run/listening.hpp"

#include "console/text.hpp"

namespace tune::cli {

expected<void> open_to_workers(premises& place, listen_options port,
                               const std::shared_ptr<screen>& shown) {
  port.say = [shown](const std::string& text) { shown->say(printable(text)); };
  auto where = port.where;
  auto plain = !port.how.identity;
  auto opened = place.listen(std::move(port));
  if (!opened)
    return opened.error();
  where.port = *opened;
  shown->say("workers may join: tune-node worker --join " + to_text(where)
             + (plain ? " --insecure-plaintext" : ""));
  return {};
}

} // namespace tune::cli
