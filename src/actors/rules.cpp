// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/rules.hpp"

#include "tune/trainable/drive.hpp"

#include <deque>

namespace tune {

namespace {

struct deferred_question {
  deferred_decision work;
};

struct deferred_answer {
  decision what;
  /// Empty: it was worked out.
  std::string failure;
};

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_rules, 240)
TUNE_LOCAL_TYPE(tune_rules, tune::deferred_question)
TUNE_LOCAL_TYPE(tune_rules, tune::deferred_answer)
TUNE_END_LOCAL_TYPES(tune_rules)

namespace tune {

namespace {

/// A rule of the user's own may throw: the run cannot go on without it.
template <class Self>
void give_up(Self* self, const runner_actor& runner, const std::string& what,
             const std::string& text) {
  send(self, runner, news{on::stop_asked{{}, what + " failed: " + text}});
  self->quit(caf::exit_reason::user_shutdown);
}

/// Works out what takes long, so that its scheduler can answer others meanwhile.
using thinker_actor = typed_actor<caf::result<deferred_answer>(deferred_question)>;

struct thinker_state {
  static inline const char* name = "tune.thinker";
};

thinker_actor::behavior_type thinker(thinker_actor::stateful_pointer<thinker_state>) {
  return {
      [](const deferred_question& what) -> deferred_answer {
        try {
          return {what.work(), {}};
        } catch (...) {
          return {{}, current_exception_text()};
        }
      },
  };
}

struct scheduler_state {
  static inline const char* name = "tune.scheduler";
  std::unique_ptr<scheduler> rule;
  bool own_thread = true;
  /// What is worked out elsewhere: the first is under way, or its answer is not a fact yet.
  std::deque<cmd::judge> deferred;
  thinker_actor helper;

  template <class Self>
  void take(Self* self, const scheduler_turn& turn, const runner_actor& runner) {
    auto settled = false;
    for (const auto& fact : turn.facts) {
      rule->apply(fact);
      const auto* decided = std::get_if<fact::decided>(&fact.what);
      settled = settled || (decided != nullptr && is_under_way(decided->what.cause));
    }
    if (settled) {
      deferred.pop_front();
      think_on(self, runner);
    }
    on::decided answers;
    for (const auto& question : turn.judge)
      judge(self, question, runner, answers);
    for (const auto& question : turn.stalls)
      answers.answers.push_back(rule->on_stall(question.at));
    if (!turn.judge.empty() || !turn.stalls.empty())
      send(self, runner, news{std::move(answers)});
    for (const auto& question : turn.choose)
      send(self, runner, news{on::chosen{rule->choose(question.at, question.count)}});
  }

  [[nodiscard]] bool is_under_way(sequence cause) const {
    return !deferred.empty() && deferred.front().cause == cause;
  }

  template <class Self>
  void judge(Self* self, const cmd::judge& question, const runner_actor& runner,
             on::decided& answers) {
    auto later = rule->judge_later(question.cause, question.trial);
    if (!later) {
      answers.answers.push_back(rule->judge(question.cause, question.trial));
      return;
    }
    deferred.push_back(question);
    if (deferred.size() == 1)
      begin(self, std::move(later), runner);
  }

  /// The next of those that wait: what has come since may have made it easy.
  template <class Self>
  void think_on(Self* self, const runner_actor& runner) {
    for (; !deferred.empty(); deferred.pop_front()) {
      auto next = deferred.front();
      if (auto later = rule->judge_later(next.cause, next.trial)) {
        begin(self, std::move(later), runner);
        return;
      }
      send(self, runner, news{on::decided{{rule->judge(next.cause, next.trial)}}, true});
    }
  }

  template <class Self>
  void begin(Self* self, deferred_decision work, const runner_actor& runner) {
    if (!helper) {
      helper = own_thread ? self->home_system().template spawn<caf::detached>(thinker)
                          : self->home_system().spawn(thinker);
      take_along(self, helper);
    }
    request(self, helper, caf::infinite, deferred_question{std::move(work)})
        .then(
            [self, runner](deferred_answer& answer) {
              if (answer.failure.empty())
                send(self, runner, news{on::decided{{std::move(answer.what)}}, true});
              else
                give_up(self, runner, "the scheduler", answer.failure);
            },
            [self, runner](const caf::error& why) {
              give_up(self, runner, "the scheduler", render(self->home_system(), why));
            });
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
                std::shared_ptr<std::unique_ptr<scheduler>> rule, bool own_thread) {
  auto& state = state_of(self);
  state.rule = std::move(*rule);
  state.own_thread = own_thread;
  return {
      [self, &state](const scheduler_turn& turn, const runner_actor& runner) {
        try {
          state.take(self, turn, runner);
        } catch (...) {
          give_up(self, runner, "the scheduler", current_exception_text());
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
          give_up(self, runner, "the searcher", current_exception_text());
        }
      },
  };
}

} // namespace

scheduler_actor spawn_scheduler(caf::actor_system& system, std::unique_ptr<scheduler> rule,
                                bool own_thread) {
  // Arguments of an actor are copied on their way in.
  return system.spawn(scheduler_shell,
                      std::make_shared<std::unique_ptr<scheduler>>(std::move(rule)), own_thread);
}

searcher_actor spawn_searcher(caf::actor_system& system, std::unique_ptr<searcher> rule) {
  return system.spawn(searcher_shell, std::make_shared<std::unique_ptr<searcher>>(std::move(rule)));
}

} // namespace tune
