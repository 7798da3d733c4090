// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/listening.hpp"

#include "tune/io/process/thread_room.hpp"
#include "tune/net/dial.hpp"
#include "tune/net/system.hpp"

namespace tune {

namespace {

// Numbers of threads that exist while nothing runs, and a few more: four of the scheduler, two of
// CAF itself, detached actors, those of processes, signals and the control socket; those of the
// network and of what uses it.
constexpr std::size_t threads_of_run = 16;
constexpr std::size_t threads_of_network = 8;

} // namespace

expected<std::optional<listen_options>> listening(const loaded_spec& from) {
  const auto& cluster = from.what.cluster;
  if (cluster.listen.empty() && !cluster.scaling.command.empty())
    return error{ec::bad_option, "[cluster] scale_command: no worker could join, as there is no "
                                 "[cluster] listen"};
  if (cluster.listen.empty())
    return std::optional<listen_options>{};
  auto where = peer_address_from(cluster.listen);
  if (!where)
    return error{ec::bad_option, "[cluster] listen: " + where.error().detail};
  auto how = choose_transport(*where, cluster.certs, cluster.insecure_plaintext);
  if (!how)
    return how.error();
  // Checked before anything is created: a new directory would be in the way of the next try.
  if (auto open = can_listen(*where); !open)
    return open.error();
  listen_options result{std::move(*where), std::move(*how), cluster.name,
                        liveness_rules{cluster.lost_after, cluster.head_grace}};
  result.scaling = scaling_options_of(from.what);
  return std::optional{std::move(result)};
}

std::unique_ptr<caf::actor_system_config> config_for(const std::optional<listen_options>& port) {
  if (port)
    return std::make_unique<network_config>(port->how, 0, port->liveness);
  return std::make_unique<system_config>();
}

expected<void> can_begin(const std::optional<listen_options>& port) {
  return can_start_threads(threads_of_run + (port ? threads_of_network : 0));
}

} // namespace tune
