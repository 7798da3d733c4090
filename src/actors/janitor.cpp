// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/janitor.hpp"

#include <utility>

namespace tune {

namespace {

struct janitor_state {
  static inline const char* name = "tune.janitor";

  remove_function remove;
  /// What fails for one mostly fails for all.
  bool told = false;

  template <class Self>
  void discard(Self* self, const cmd::discard& what, const runner_actor& runner) {
    auto done = remove(what.location);
    if (done)
      send(self, runner, news{on::checkpoint_gone{what.checkpoint}});
    else if (!std::exchange(told, true))
      send(self, runner, remark{to_text(done.error())});
  }
};

janitor_actor::behavior_type janitor(janitor_actor::stateful_pointer<janitor_state> self,
                                     remove_function remove) {
  auto& state = state_of(self);
  state.remove = std::move(remove);
  return {
      [self, &state](const cmd::discard& what, const runner_actor& runner) {
        state.discard(self, what, runner);
      },
      [](drain_atom) { return std::string{}; },
  };
}

} // namespace

janitor_actor spawn_janitor(caf::actor_system& system, remove_function remove) {
  return system.spawn<caf::detached>(janitor, std::move(remove));
}

} // namespace tune
