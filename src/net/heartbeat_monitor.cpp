// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/heartbeat_monitor.hpp"

#include "on_loop.hpp"
#include "quick_heartbeats.hpp"

#include "tune/actors/firm.hpp"
#include "tune/core/liveness/failure_detector.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tune {

namespace {

using heartbeat_monitor_impl
    = extend<heartbeat_monitor_local_actor, caf::result<void>(tick_atom, std::uint64_t)>;

std::string seconds_text(instant x) {
  auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(x).count() / 100;
  auto rest = tenths % 10 == 0 ? std::string{} : "." + std::to_string(tenths % 10);
  return std::to_string(tenths / 10) + rest + " s";
}

struct heartbeat_monitor_state {
  static inline const char* name = "tune.heartbeat_monitor";

  heartbeat_monitor_settings settings;
  heartbeat_monitor_impl::pointer self = nullptr;
  cluster_actor cluster;
  failure_detector watched{{}};
  /// Number of the newest timer; older ones are ignored.
  std::uint64_t timer = 0;
  bool armed = false;

  void begin(std::uint64_t session) {
    watched.begin(session, settings.clock());
    if (!armed)
      arm();
  }

  bool hear(const heartbeat& what) {
    if (!what.is_frozen)
      return watched.heard(what.session, settings.clock());
    // The node hears nothing from this head, which still hears the node; unless the head was held
    // up.
    const auto is_excused = watched.was_held_up(settings.clock());
    if (watched.heard(what.session, settings.clock()) && !is_excused)
      give_up(what.session, "it heard nothing of the head, and froze");
    return false;
  }

  [[nodiscard]] std::uint64_t forget(std::uint64_t session) {
    auto longest = watched.longest_silence(session, settings.clock());
    watched.end(session);
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(longest).count());
  }

  void give_up(std::uint64_t session, std::string why) {
    watched.end(session);
    send(self, cluster, node_silent{session, std::move(why)});
  }

  void tick(std::uint64_t which) {
    if (which != timer)
      return;
    for (auto session : watched.look(settings.clock()))
      give_up(session, "no heartbeat came from it for " + seconds_text(settings.rules.lost_after));
    arm();
  }

  void arm() {
    auto now = settings.clock();
    auto next = watched.next_look(now);
    armed = next.has_value();
    if (next)
      delayed_send(self, caf::actor_cast<heartbeat_monitor_impl>(self), *next - now, tick_atom_v,
                   ++timer);
  }
};

heartbeat_monitor_impl::behavior_type
heartbeat_monitor(heartbeat_monitor_impl::stateful_pointer<heartbeat_monitor_state> self,
                  heartbeat_monitor_settings settings, cluster_actor cluster) {
  auto& state = state_of(self);
  state.self = self;
  stand_firm(self);
  state.watched = failure_detector{settings.rules};
  state.settings = std::move(settings);
  state.cluster = std::move(cluster);
  return {
      [&state](const heartbeat& x) { return state.hear(x); },
      [&state](enter_atom, std::uint64_t session) { state.begin(session); },
      [&state](leave_atom, std::uint64_t session) { return state.forget(session); },
      [&state](tick_atom, std::uint64_t which) { state.tick(which); },
  };
}

#if !TUNE_CAF_1

/// The same on the thread of the connections.
class heartbeat_monitor_on_loop
    : public detail::on_loop<heartbeat_monitor_impl::stateful_base<heartbeat_monitor_state>>,
      public detail::prompt_listener {
public:
  heartbeat_monitor_on_loop(caf::actor_config& how, heartbeat_monitor_settings settings,
                            cluster_actor cluster)
      : on_loop{how}, settings_{std::move(settings)}, cluster_{std::move(cluster)} {}

  behavior_type make_behavior() override {
    listens_ = true;
    return heartbeat_monitor(this, std::move(settings_), std::move(cluster_));
  }
  bool cleanup(caf::error&& why, caf::execution_unit* by) override {
    listens_ = false;
    return on_loop::cleanup(std::move(why), by);
  }
  /// A node that is not waited for may be about to be.
  [[nodiscard]] bool hears(std::uint64_t session) override {
    return listens_ && state_of(this).hear(heartbeat{session, false});
  }

private:
  heartbeat_monitor_settings settings_;
  cluster_actor cluster_;
  bool listens_ = false;
};

#endif

} // namespace

heartbeat_monitor_local_actor spawn_heartbeat_monitor(caf::actor_system& system,
                                                      heartbeat_monitor_settings settings,
                                                      cluster_actor cluster) {
#if !TUNE_CAF_1
  if (system.has_middleman())
    return system.spawn<heartbeat_monitor_on_loop>(std::move(settings), std::move(cluster));
#endif
  return system.spawn(heartbeat_monitor, std::move(settings), std::move(cluster));
}

} // namespace tune
