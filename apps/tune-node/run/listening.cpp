// SPDX-License-Identifier: BSD-3-Clause
#include "run/listening.hpp"

#include "console/text.hpp"

#include "tune/net/dial.hpp"
#include "tune/net/system.hpp"

namespace tune::cli {

expected<std::optional<listen_options>> listening(const loaded_spec& loaded) {
  const auto& cluster = loaded.what.cluster;
  if (cluster.listen.empty())
    return std::optional<listen_options>{};
  auto where = peer_address_from(cluster.listen);
  if (!where)
    return error{ec::bad_option, "[cluster] listen: " + where.error().detail};
  auto how = choose_transport(*where, cluster.certs, cluster.insecure_plaintext);
  if (!how)
    return how.error();
  // Before anything is made: a directory that was begun would be in the way of the next try.
  if (auto open = can_listen(*where); !open)
    return open.error();
  return std::optional{listen_options{std::move(*where), std::move(*how), cluster.name}};
}

std::unique_ptr<caf::actor_system_config> config_for(const std::optional<listen_options>& port) {
  if (port)
    return std::make_unique<network_config>(port->how);
  return std::make_unique<system_config>();
}

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
