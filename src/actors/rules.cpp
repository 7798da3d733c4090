// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/rules.hpp"

#include "tune/trainable/drive.hpp"

namespace tune {

namespace {

/// A rule of the user's own may throw: the run cannot go on without it.
template <class Self>
void give_up(Self* self, const runner_actor& runner, const std::string& what) {
  auto why = what + " failed: " + current_exception_text();
  send(self, runner, news{on::stop_asked{{}, std::move(why)}});
  self->quit(caf::exit_reason::user_shutdown);
}

struct scheduler_state {
  static inline const char* name = "tune.scheduler";
  std::unique_ptr<scheduler> rule;

  template <class Self>
  void take(Self* self, const scheduler_turn& turn, const runner_actor& runner) {
    for (const auto& fact : turn.facts)
      rule->apply(fact);
    on::decided answers;
    for (const auto& question : turn.judge)
      answers.answers.push_back(rule->judge(question.cause, question.trial));
    for (const auto& question : turn.stalls)
      answers.answers.push_back(rule->on_stall(question.at));
    if (!answers.answers.empty())
      send(self, runner, news{std::move(answers)});
    for (const auto& question : turn.choose)
      send(self, runner, news{on::chosen{rule->choose(question.at, question.count)}});
  }
};

struct searcher_state {
  static inline const char* name = "tune.searcher";
  std::unique_ptr<searcher> rule;

  template <class Self>
  void take(Self* self, const searcher_turn& turn, const runner_actor& runner) {
    for (const auto& fact : turn.facts)
      rule->apply(fact);
    for (const auto& question : turn.asks)
      send(self, runner, news{on::suggested{question.number, rule->propose(question)}});
  }
};

scheduler_actor::behavior_type
scheduler_shell(scheduler_actor::stateful_pointer<scheduler_state> self,
                std::shared_ptr<std::unique_ptr<scheduler>> rule) {
  auto& state = state_of(self);
  state.rule = std::move(*rule);
  return {
      [self, &state](const scheduler_turn& turn, const runner_actor& runner) {
        try {
          state.take(self, turn, runner);
        } catch (...) {
          give_up(self, runner, "the scheduler");
        }
      },
  };
}

searcher_actor::behavior_type searcher_shell(searcher_actor::stateful_pointer<searcher_state> self,
                                             std::shared_ptr<std::unique_ptr<searcher>> rule) {
  auto& state = state_of(self);
  state.rule = std::move(*rule);
  return {
      [self, &state](const searcher_turn& turn, const runner_actor& runner) {
        try {
          state.take(self, turn, runner);
        } catch (...) {
          give_up(self, runner, "the searcher");
        }
      },
  };
}

} // namespace

scheduler_actor spawn_scheduler(caf::actor_system& system, std::unique_ptr<scheduler> rule) {
  // Arguments of an actor are copied on their way in.
  return system.spawn(scheduler_shell,
                      std::make_shared<std::unique_ptr<scheduler>>(std::move(rule)));
}

searcher_actor spawn_searcher(caf::actor_system& system, std::unique_ptr<searcher> rule) {
  return system.spawn(searcher_shell, std::make_shared<std::unique_ptr<searcher>>(std::move(rule)));
}

} // namespace tune
