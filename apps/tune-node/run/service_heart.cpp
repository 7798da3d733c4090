// SPDX-License-Identifier: BSD-3-Clause
#include "run/service_heart.hpp"

#include "tune/io/process/service_notice.hpp"

#include <chrono>

namespace tune::cli {

namespace {

using heart_actor = typed_actor<caf::result<void>(tick_atom)>;

struct heart_state {
  static inline const char* name = "tune.service_heart";
};

heart_actor::behavior_type service_beats(heart_actor::stateful_pointer<heart_state> self,
                                         std::chrono::microseconds pace,
                                         const std::optional<cluster_actor>& cluster) {
  return {[self, pace, cluster](tick_atom) {
    delayed_send(self, caf::actor_cast<heart_actor>(self), caf::timespan{pace}, tick_atom_v);
    if (!cluster) {
      notify_service_manager("WATCHDOG=1");
      return;
    }
    tune::request(self, *cluster, pace, status_atom_v)
        .then([](const cluster_status&) { notify_service_manager("WATCHDOG=1"); },
              [](const caf::error&) {}); // no beat
  }};
}

} // namespace

service_heart::service_heart(caf::actor_system& system,
                             const std::optional<cluster_actor>& cluster) {
  const auto limit = watchdog_limit();
  if (!limit)
    return;
  // Hidden: a system does not wait for it.
  beats_ = system.spawn<caf::hidden>(service_beats, *limit / 3, cluster);
  send_from_outside(*beats_, tick_atom_v);
}

service_heart::~service_heart() {
  if (beats_)
    caf::anon_send_exit(*beats_, caf::exit_reason::user_shutdown);
}

} // namespace tune::cli
