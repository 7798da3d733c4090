// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/trial.hpp"

#include <optional>

namespace tune {

namespace {

struct trial_state {
  static inline const char* name = "tune.trial";

  trial_id id;
  runner_actor runner;
  monitors watched;
  /// The attempt under way; none between attempts.
  attempt_id attempt;
  trainable_actor trainable;
  /// It was told to end before its trainable was there.
  std::optional<attempt_halt> early_halt;

  [[nodiscard]] bool is_current(attempt_key key) const { return attempt && key.id() == attempt; }

  template <class Self>
  void tell(Self* self, event_body what) {
    send(self, runner, news{std::move(what)});
  }

  template <class Self>
  void attach(Self* self, attempt_key key, const trainable_actor& whom) {
    if (!is_current(key)) {
      send(self, whom, attempt_halt{key, static_cast<std::uint8_t>(halt_mode::kill)});
      return;
    }
    trainable = whom;
    watched.watch(self, whom, [this, self, key](const caf::error& why) { lose(self, key, why); });
    if (early_halt)
      send(self, whom, *std::exchange(early_halt, std::nullopt));
  }

  /// The trainable is gone. If it said so before, that was heard first and this is no news.
  template <class Self>
  void lose(Self* self, attempt_key key, const caf::error& why) {
    if (!is_current(key))
      return;
    attempt_ended over;
    over.attempt = key;
    if (is_unreachable(why)) {
      over.how = static_cast<std::uint8_t>(end_class::node_lost);
      over.detail = "the connection to its node was lost";
    } else {
      over.how = static_cast<std::uint8_t>(end_class::killed);
      over.detail = "the trainable went away: " + render(self->system(), why);
    }
    finish(self, over);
  }

  template <class Self>
  void forward(Self* self, const attempt_report& what) {
    auto full = std::make_shared<report>();
    full->trial = id;
    full->attempt = what.attempt;
    full->number = what.number;
    full->iteration = what.iteration;
    full->time_this_iter = std::chrono::nanoseconds{what.time_this_iter_ns};
    full->time_total = std::chrono::nanoseconds{what.time_total_ns};
    full->timestamp_ms = what.timestamp_ms;
    full->pid = what.pid;
    full->done = what.done;
    full->metrics = what.metrics.content;
    tell(self, on::reported{std::move(full)});
  }

  template <class Self>
  void finish(Self* self, const attempt_ended& what) {
    if (!is_current(what.attempt))
      return;
    attempt = {};
    trainable = trainable_actor{};
    early_halt.reset();
    on::ended over{id, what.attempt, static_cast<end_class>(what.how), what.detail, {}};
    if (what.has_status)
      over.exit_status = what.exit_status;
    tell(self, std::move(over));
  }
};

trial_actor::behavior_type trial(trial_actor::stateful_pointer<trial_state> self, trial_id id,
                                 runner_actor runner) {
  auto& state = state_of(self);
  state.id = id;
  state.runner = std::move(runner);
  state.watched.init(self);
  return {
      [&state](const launch_order& what) { state.attempt = what.attempt; },
      [self, &state](const attempt_answer& what) {
        if (state.is_current(what.attempt) && state.trainable)
          send(self, state.trainable, what);
      },
      [self, &state](const attempt_halt& what) {
        if (!state.is_current(what.attempt))
          return;
        if (state.trainable)
          send(self, state.trainable, what);
        else
          state.early_halt = what;
      },
      [self, &state](attempt_key key, const trainable_actor& whom) {
        state.attach(self, key, whom);
      },
      [self, &state](const attempt_started& what) {
        if (state.is_current(what.attempt))
          state.tell(self, on::started{state.id, what.attempt, what.pid});
      },
      [self, &state](const attempt_report& what) { state.forward(self, what); },
      [self, &state](const attempt_saved& what) {
        state.tell(self, on::saved{state.id, what.attempt, checkpoint_id{what.checkpoint},
                                   what.iteration, std::chrono::nanoseconds{what.time_total_ns},
                                   what.location, what.bytes});
      },
      [self, &state](const attempt_save_failed& what) {
        state.tell(self, on::save_failed{state.id, what.attempt, checkpoint_id{what.checkpoint},
                                         what.why});
      },
      [self, &state](const attempt_ended& what) { state.finish(self, what); },
      [](ping_atom, std::uint64_t x) { return x; },
  };
}

} // namespace

trial_actor spawn_trial(caf::actor_system& system, trial_id id, runner_actor runner) {
  return system.spawn(trial, id, std::move(runner));
}

} // namespace tune
