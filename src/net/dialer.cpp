// SPDX-License-Identifier: BSD-3-Clause
#include "dialer.hpp"

#include <utility>

namespace tune {

namespace {

struct dialer_state {
  static inline const char* name = "tune.dialer";
  head_dialer dial;
  std::function<node_route()> route;
};

dialer_actor::behavior_type dialer(dialer_actor::stateful_pointer<dialer_state> self,
                                   head_dialer dial, std::function<node_route()> route) {
  auto& state = state_of(self);
  state.dial = std::move(dial);
  state.route = std::move(route);
  return {
      [&state](run_atom) {
        auto node_registry = state.dial();
        if (!node_registry)
          return dialed{{}, node_registry.error(), {}};
        return dialed{*node_registry, {}, state.route ? state.route() : node_route{}};
      },
  };
}

} // namespace

dialer_actor spawn_dialer(caf::actor_system& system, head_dialer dial,
                          std::function<node_route()> route, bool own_thread) {
  return own_thread ? system.spawn<caf::detached>(dialer, std::move(dial), std::move(route))
                    : system.spawn(dialer, std::move(dial), std::move(route));
}

} // namespace tune
