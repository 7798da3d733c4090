// SPDX-License-Identifier: BSD-3-Clause
#include "heartbeat_sender.hpp"

#include "tune/actors/firm.hpp"
#include "tune/core/liveness/heartbeat_pace.hpp"

#include <algorithm>
#include <utility>

TUNE_BEGIN_LOCAL_TYPES(tune_heartbeat_sender)
TUNE_LOCAL_TYPE(tune_heartbeat_sender, tune::heartbeat_news)
TUNE_END_LOCAL_TYPES(tune_heartbeat_sender)

namespace tune {

namespace {

using heartbeat_sender_impl = extend<heartbeat_sender_actor, caf::result<void>(tick_atom)>;

struct heartbeat_sender_state {
  static inline const char* name = "tune.heartbeat_sender";

  heartbeat_sender_settings settings;
  heartbeat_sender_impl::pointer self = nullptr;
  heartbeat_listener_actor listener;
  std::optional<session_lease> lease;
  heartbeat_pace pace{{}};
  session_lease::state told = session_lease::state::held;

  void start() {
    lease.emplace(settings.rules, settings.began);
    pace = heartbeat_pace{settings.rules};
    settings.gate->set_end(lease->ends());
    tick();
  }

  [[nodiscard]] instant now() const { return settings.gate->now(); }

  [[nodiscard]] instant lost_at() const {
    return settings.lost_at ? std::min(*settings.lost_at, lease->lost_at()) : lease->lost_at();
  }

  [[nodiscard]] session_lease::state at(instant now) const {
    return now >= lost_at() ? session_lease::state::lost : lease->at(now);
  }

  void tick() {
    auto is = at(now());
    if (is != session_lease::state::held)
      tell(is, "nothing was heard of the head in time");
    if (is == session_lease::state::lost)
      return;
    beat(is == session_lease::state::frozen);
    auto next = is == session_lease::state::held ? std::min(lease->ends(), lost_at()) : lost_at();
    auto wait = std::clamp(next - now(), instant{0}, pace.wait());
    delayed_send(self, caf::actor_cast<heartbeat_sender_impl>(self), wait, tick_atom_v);
  }

  void beat(bool is_frozen) {
    auto number = lease->beat(now());
    pace.sent(number);
    request(self, settings.heartbeat_monitor, settings.rules.lost_after,
            heartbeat{settings.session, is_frozen})
        .then([this, number](bool counts) { hear(number, counts); },
              [](const caf::error&) {}); // No answer: the lease runs out by itself.
  }

  void hear(std::uint64_t number, bool counts) {
    if (counts) {
      lease->answered(number, now());
      pace.answered(number);
      settings.lost_at.reset();
    } else {
      lease->revoke(now());
    }
    settings.gate->set_end(lease->ends());
    if (!counts)
      tell(session_lease::state::frozen, "the head does not count on this node any more");
  }

  void tell(session_lease::state what, std::string why) {
    if (what <= told)
      return;
    told = what;
    send(self, listener, heartbeat_news{settings.session, what, std::move(why)});
  }
};

heartbeat_sender_impl::behavior_type
heartbeat_sender(heartbeat_sender_impl::stateful_pointer<heartbeat_sender_state> self,
                 heartbeat_sender_settings settings, heartbeat_listener_actor listener) {
  auto& state = state_of(self);
  state.self = self;
  stand_firm(self);
  state.settings = std::move(settings);
  state.listener = std::move(listener);
  return {
      [&state](run_atom) { state.start(); },
      [&state](tick_atom) { state.tick(); },
  };
}

} // namespace

heartbeat_sender_actor spawn_heartbeat_sender(caf::actor_system& system,
                                              heartbeat_sender_settings settings,
                                              heartbeat_listener_actor listener) {
  return system.spawn(heartbeat_sender, std::move(settings), std::move(listener));
}

} // namespace tune
