// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/rules.hpp"

#include "training_threads.hpp"

#include "tune/core/experiment/rule_answers.hpp"
#include "tune/trainable/drive.hpp"

#include <deque>
#include <mutex>

namespace tune {

namespace {

/// The answer to a question that was worked out later.
struct deferred_answer {
  decision what;
  /// Empty: the answer was worked out.
  std::string failure;
};

/// The answer of a searcher that was worked out later.
struct deferred_suggestions {
  on::suggested what;
  /// Empty: the suggestions were worked out.
  std::string failure;
};

using scheduler_impl = extend<scheduler_actor, caf::result<void>(deferred_answer, runner_actor)>;
using searcher_impl = extend<searcher_actor, caf::result<void>(deferred_suggestions, runner_actor)>;

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_rules)
TUNE_LOCAL_TYPE(tune_rules, tune::deferred_answer)
TUNE_LOCAL_TYPE(tune_rules, tune::deferred_suggestions)
TUNE_END_LOCAL_TYPES(tune_rules)

namespace tune {

namespace {

/// Ends the actor after an exception of its rule, which may be the user's own.
template <class Self>
void give_up(Self* self, const runner_actor& runner, const std::string& what,
             const std::string& text) {
  send(self, runner, news{rule_failed(what, text)});
  self->quit(caf::exit_reason::user_shutdown);
}

/// Receives the answers of deferred work. Nobody waits for that work: once its actor is gone it
/// must not hold references to actors, or it might outlive their system.
template <class Rule>
class late_answers {
public:
  late_answers(caf::weak_actor_ptr whom, runner_actor runner)
      : whom_{std::move(whom)}, runner_{std::move(runner)} {}

  template <class Answer>
  void take(Answer what) {
    std::lock_guard guard{mutex_};
    if (auto to = caf::actor_cast<caf::strong_actor_ptr>(whom_))
      send_from_outside(caf::actor_cast<Rule>(to), std::move(what), runner_);
  }
  void close() {
    std::lock_guard guard{mutex_};
    whom_ = nullptr;
    runner_ = nullptr;
  }

private:
  std::mutex mutex_;
  caf::weak_actor_ptr whom_;
  runner_actor runner_;
};

/// Creates the receiver for deferred answers of an actor when it is first needed.
template <class Rule, class Self>
void open_desk(std::shared_ptr<late_answers<Rule>>& answers, Self* self,
               const runner_actor& runner) {
  if (answers != nullptr)
    return;
  answers
      = std::make_shared<late_answers<Rule>>(caf::actor_cast<caf::weak_actor_ptr>(self), runner);
  self->attach_functor([answers = answers] { answers->close(); });
}

/// Runs deferred work, and turns its result or exception into an answer.
deferred_answer work_out(const cmd::judge& question, const deferred_decision& job) {
  try {
    return {answer_about(question.cause, job()), {}};
  } catch (...) {
    return {{}, current_exception_text()};
  }
}

deferred_suggestions work_out(const ask& question, const deferred_proposal& job) {
  try {
    return {answer_to(question, job()), {}};
  } catch (...) {
    return {{}, current_exception_text()};
  }
}

struct scheduler_state {
  static inline const char* name = "tune.scheduler";
  std::unique_ptr<scheduler> rule;
  bool own_thread = true;
  std::shared_ptr<outline_board> board;
  /// Deferred questions: the first is being worked out, or its answer is not a fact yet.
  std::deque<cmd::judge> deferred;
  training_threads threads;
  std::shared_ptr<late_answers<scheduler_impl>> answers;

  template <class Self>
  void take(Self* self, const scheduler_turn& turn, const runner_actor& runner) {
    auto settled = false;
    for (const auto& fact : turn.facts) {
      rule->apply(fact);
      const auto* decided = std::get_if<fact::decided>(&fact.what);
      settled = settled || (decided != nullptr && is_under_way(decided->what.cause));
    }
    if (board != nullptr)
      board->write(rule->outline());
    if (settled) {
      deferred.pop_front();
      think_on(self, runner);
    }
    on::decided answers;
    for (const auto& question : turn.judge)
      judge(self, question, runner, answers);
    for (const auto& question : turn.stalls)
      answers.answers.push_back(answer_about(question.at, rule->on_stall(question.at)));
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
      answers.answers.push_back(
          answer_about(question.cause, rule->judge(question.cause, question.trial)));
      return;
    }
    deferred.push_back(question);
    if (deferred.size() == 1)
      begin(self, std::move(later), runner);
  }

  /// Goes on with the next deferred question; facts that have come since may have made it easy.
  template <class Self>
  void think_on(Self* self, const runner_actor& runner) {
    for (; !deferred.empty(); deferred.pop_front()) {
      auto next = deferred.front();
      if (auto later = rule->judge_later(next.cause, next.trial)) {
        begin(self, std::move(later), runner);
        return;
      }
      auto answer = answer_about(next.cause, rule->judge(next.cause, next.trial));
      send(self, runner, news{on::decided{{std::move(answer)}}, true});
    }
  }

  template <class Self>
  void begin(Self* self, deferred_decision job, const runner_actor& runner) {
    auto question = deferred.front();
    open_desk(answers, self, runner);
    auto work = [question, job = std::move(job), answers = answers] {
      answers->take(work_out(question, job));
    };
    if (!own_thread || threads.run(work) != 0)
      work();
  }

  template <class Self>
  void hear(Self* self, deferred_answer& what, const runner_actor& runner) {
    if (what.failure.empty())
      send(self, runner, news{on::decided{{std::move(what.what)}}, true});
    else
      give_up(self, runner, "the scheduler", what.failure);
  }
};

struct searcher_state {
  static inline const char* name = "tune.searcher";
  std::unique_ptr<searcher> rule;
  bool own_thread = true;
  /// The first is being worked out on another thread; the others wait for it.
  std::deque<ask> waiting;
  training_threads threads;
  std::shared_ptr<late_answers<searcher_impl>> answers;

  template <class Self>
  void take(Self* self, const searcher_turn& turn, const runner_actor& runner) {
    for (const auto& fact : turn.facts)
      rule->apply(fact);
    for (const auto& question : turn.asks)
      take(self, question, runner);
  }

  /// One question is open at a time: those behind the one that is being worked out were given up
  /// for the next, and so was that one.
  template <class Self>
  void take(Self* self, const ask& question, const runner_actor& runner) {
    if (!waiting.empty())
      waiting.resize(1);
    if (!waiting.empty() && !question.trial && question.drafts == drafting::quick
        && rule->traits().sketches) {
      send(self, runner, news{answer_to(question, rule->propose(question))});
      return;
    }
    waiting.push_back(question);
    if (waiting.size() == 1)
      think(self, runner);
  }

  /// Answers waiting questions up to the first whose answer takes long.
  template <class Self>
  void think(Self* self, const runner_actor& runner) {
    for (; !waiting.empty(); waiting.pop_front()) {
      auto question = waiting.front();
      if (auto later = rule->propose_later(question)) {
        begin(self, question, std::move(later), runner);
        return;
      }
      send(self, runner, news{answer_to(question, rule->propose(question))});
    }
  }

  template <class Self>
  void begin(Self* self, const ask& question, deferred_proposal job, const runner_actor& runner) {
    open_desk(answers, self, runner);
    auto work = [question, job = std::move(job), answers = answers] {
      answers->take(work_out(question, job));
    };
    if (!own_thread || threads.run(work) != 0)
      work();
  }

  template <class Self>
  void hear(Self* self, deferred_suggestions& what, const runner_actor& runner) {
    if (!what.failure.empty()) {
      give_up(self, runner, "the searcher", what.failure);
      return;
    }
    waiting.pop_front();
    send(self, runner, news{std::move(what.what), true});
    think(self, runner);
  }
};

scheduler_impl::behavior_type
scheduler_shell(scheduler_impl::stateful_pointer<scheduler_state> self,
                std::shared_ptr<std::unique_ptr<scheduler>> rule, bool own_thread,
                const std::shared_ptr<outline_board>& board) {
  auto& state = state_of(self);
  state.board = board;
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
      [self, &state](deferred_answer& what, const runner_actor& runner) {
        state.hear(self, what, runner);
      },
  };
}

searcher_impl::behavior_type searcher_shell(searcher_impl::stateful_pointer<searcher_state> self,
                                            std::shared_ptr<std::unique_ptr<searcher>> rule,
                                            bool own_thread) {
  auto& state = state_of(self);
  state.rule = std::move(*rule);
  state.own_thread = own_thread;
  return {
      [self, &state](const searcher_turn& turn, const runner_actor& runner) {
        try {
          state.take(self, turn, runner);
        } catch (...) {
          give_up(self, runner, "the searcher", current_exception_text());
        }
      },
      [self, &state](deferred_suggestions& what, const runner_actor& runner) {
        try {
          state.hear(self, what, runner);
        } catch (...) {
          give_up(self, runner, "the searcher", current_exception_text());
        }
      },
  };
}

} // namespace

scheduler_actor spawn_scheduler(caf::actor_system& system, std::unique_ptr<scheduler> rule,
                                bool own_thread, std::shared_ptr<outline_board> board) {
  // CAF copies the arguments of an actor.
  return system.spawn(scheduler_shell,
                      std::make_shared<std::unique_ptr<scheduler>>(std::move(rule)), own_thread,
                      std::move(board));
}

searcher_actor spawn_searcher(caf::actor_system& system, std::unique_ptr<searcher> rule,
                              bool own_thread) {
  return system.spawn(searcher_shell, std::make_shared<std::unique_ptr<searcher>>(std::move(rule)),
                      own_thread);
}

} // namespace tune
