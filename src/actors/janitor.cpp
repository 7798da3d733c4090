// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/janitor.hpp"

#include <utility>

namespace tune {

namespace {

/// An attempt did not end by itself: checkpoints that it told nobody of belong to nobody.
struct attempt_cut_off {
  trial_id trial;
  attempt_id attempt;
};

using janitor_impl = extend<janitor_actor, caf::result<void>(attempt_cut_off)>;

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_janitor)
TUNE_LOCAL_TYPE(tune_janitor, tune::attempt_cut_off)
TUNE_END_LOCAL_TYPES(tune_janitor)

namespace tune {

namespace {

struct janitor_state {
  static inline const char* name = "tune.janitor";

  remove_function remove;
  janitor_impl::pointer self = nullptr;
  tidy_function tidy;
  /// Whether the runner was told of a failure: a second one mostly has the same cause.
  bool told = false;

  void discard(const cmd::discard& what, const runner_actor& runner) {
    auto done = remove(what.location);
    if (done)
      send(self, runner, news{on::checkpoint_gone{what.checkpoint}});
    else if (!std::exchange(told, true))
      send(self, runner, remark{to_text(done.error())});
  }
};

janitor_impl::behavior_type janitor(janitor_impl::stateful_pointer<janitor_state> self,
                                    remove_function remove, tidy_function tidy) {
  auto& state = state_of(self);
  state.self = self;
  state.remove = std::move(remove);
  state.tidy = std::move(tidy);
  return {
      [&state](const cmd::discard& what, const runner_actor& runner) {
        state.discard(what, runner);
      },
      // Failures are not reported: the files do no harm, and the next head removes them.
      [&state](const attempt_cut_off& what) {
        static_cast<void>(state.tidy(what.trial, what.attempt));
      },
      [](drain_atom) { return std::string{}; },
  };
}

} // namespace

janitor_actor spawn_janitor(caf::actor_system& system, remove_function remove, tidy_function tidy) {
  return system.spawn<caf::detached>(janitor, std::move(remove), std::move(tidy));
}

void tidy_up(const janitor_actor& whom, trial_id trial, attempt_id attempt) {
  send_from_outside(caf::actor_cast<janitor_impl>(whom), attempt_cut_off{trial, attempt});
}

} // namespace tune
