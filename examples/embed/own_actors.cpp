// SPDX-License-Identifier: BSD-3-Clause
#include "own_actors.hpp"

#include "laggards.hpp"

#include <tune/tuner/own_actors.hpp>

namespace embed {

using namespace tune;

namespace {

struct judge_state {
  static inline const char* name = "embed.judge";
  laggards rule{2, 1.0};
};

/// Takes in facts first, then the questions of the same turn; answers may come as late as they
/// like.
scheduler_actor::behavior_type judge(scheduler_actor::stateful_pointer<judge_state> self) {
  return {
      [self](const scheduler_turn& turn, const runner_actor& runner) {
        auto& rule = state_of(self).rule;
        for (const auto& x : turn.facts)
          rule.apply(x);
        on::decided answers;
        for (const auto& x : turn.judge)
          answers.answers.push_back(rule.judge(x.cause, x.trial));
        for (const auto& x : turn.stalls)
          answers.answers.push_back(rule.on_stall(x.at));
        if (!answers.answers.empty())
          send(self, runner, news{std::move(answers)});
        for (const auto& x : turn.choose)
          send(self, runner, news{on::chosen{rule.choose(x.at, x.count)}});
      },
  };
}

struct source_state {
  static inline const char* name = "embed.source";
  std::int64_t made = 0;
};

/// Proposes x = 1.6, 0.8, 0.4, …, halved each time, six times.
searcher_actor::behavior_type source(searcher_actor::stateful_pointer<source_state> self) {
  return {
      [self](const searcher_turn& turn, const runner_actor& runner) {
        auto& made = state_of(self).made;
        // Recorded answers count, not those sent: so the state survives a restart.
        for (const auto& x : turn.facts) {
          const auto* said = std::get_if<suggested_fact>(&x.what);
          if (said != nullptr && std::holds_alternative<std::vector<suggestion>>(said->what))
            ++made;
        }
        for (const auto& x : turn.asks) {
          proposal answer = exhausted{"the step is small enough"};
          if (made < 6) {
            auto config = object{{"lr", 1.6 / static_cast<double>(1 << made)}};
            answer = std::vector<suggestion>{
                {std::make_shared<const object>(std::move(config)), "halved"}};
          }
          send(self, runner, news{on::suggested{x.number, std::move(answer)}});
        }
      },
  };
}

} // namespace

void use_own_actors(run_options& to) {
  own_scheduler judging;
  judging.name = "embed-judge";
  judging.spawn = [](caf::actor_system& system) -> scheduler_actor { return system.spawn(judge); };
  to.scheduler(judging);

  own_searcher searching;
  searching.name = "embed-source";
  searching.spawn
      = [](caf::actor_system& system) -> searcher_actor { return system.spawn(source); };
  // The searcher ends by itself, so `num_samples` does not count.
  searching.traits.exhaustible = true;
  to.searcher(searching);
}

} // namespace embed
