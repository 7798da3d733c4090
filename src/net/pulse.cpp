// SPDX-License-Identifier: BSD-3-Clause
#include "pulse.hpp"

#include "tune/actors/firm.hpp"

#include <algorithm>
#include <utility>

TUNE_BEGIN_LOCAL_TYPES(tune_pulse)
TUNE_LOCAL_TYPE(tune_pulse, tune::pulse_news)
TUNE_END_LOCAL_TYPES(tune_pulse)

namespace tune {

namespace {

using pulse_impl = extend<pulse_actor, caf::result<void>(tick_atom)>;

struct pulse_state {
  static inline const char* name = "tune.pulse";

  pulse_settings settings;
  pulse_listener_actor listener;
  std::optional<node_lease> lease;
  node_lease::state told = node_lease::state::held;

  template <class Self>
  void begin(Self* self) {
    lease.emplace(settings.rules, settings.began);
    settings.gate->set_end(lease->ends());
    tick(self);
  }

  [[nodiscard]] instant now() const { return settings.gate->now(); }

  [[nodiscard]] instant lost_at() const {
    return settings.lost_at ? std::min(*settings.lost_at, lease->lost_at()) : lease->lost_at();
  }

  [[nodiscard]] node_lease::state at(instant now) const {
    return now >= lost_at() ? node_lease::state::lost : lease->at(now);
  }

  template <class Self>
  void tick(Self* self) {
    auto is = at(now());
    if (is != node_lease::state::held)
      tell(self, is, "nothing was heard of the head in time");
    if (is == node_lease::state::lost)
      return;
    beat(self, is == node_lease::state::frozen);
    auto next = is == node_lease::state::held ? std::min(lease->ends(), lost_at()) : lost_at();
    auto wait = std::clamp(next - now(), instant{0}, settings.rules.interval());
    delayed_send(self, caf::actor_cast<pulse_impl>(self), wait, tick_atom_v);
  }

  template <class Self>
  void beat(Self* self, bool is_frozen) {
    auto number = lease->beat(now());
    request(self, settings.watchman, settings.rules.lost_after,
            heartbeat{settings.session, is_frozen})
        .then([this, self, number](bool counts) { hear(self, number, counts); },
              [](const caf::error&) {}); // Silence: the lease runs out by itself.
  }

  template <class Self>
  void hear(Self* self, std::uint64_t number, bool counts) {
    if (counts) {
      lease->answered(number, now());
      settings.lost_at.reset();
    } else {
      lease->revoke(now());
    }
    settings.gate->set_end(lease->ends());
    if (!counts)
      tell(self, node_lease::state::frozen, "the head does not count on this node any more");
  }

  template <class Self>
  void tell(Self* self, node_lease::state what, std::string why) {
    if (what <= told)
      return;
    told = what;
    send(self, listener, pulse_news{settings.session, what, std::move(why)});
  }
};

pulse_impl::behavior_type pulse(pulse_impl::stateful_pointer<pulse_state> self,
                                pulse_settings settings, pulse_listener_actor listener) {
  auto& state = state_of(self);
  stand_firm(self);
  state.settings = std::move(settings);
  state.listener = std::move(listener);
  return {
      [self, &state](run_atom) { state.begin(self); },
      [self, &state](tick_atom) { state.tick(self); },
  };
}

} // namespace

pulse_actor spawn_pulse(caf::actor_system& system, pulse_settings settings,
                        pulse_listener_actor listener) {
  return system.spawn(pulse, std::move(settings), std::move(listener));
}

} // namespace tune
