// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/own_actors.hpp"

#include "bowl.hpp"
#include "tune/actors/system.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace tune {
namespace {

using samples::bowls;
using samples::meeting;
using samples::number;
using samples::tuner_test;
using testing::HasSubstr;

struct judge_state {
  static inline const char* name = "test.judge";
  samples::impatient rule;
};

/// Judges by a rule of its own; if `mortal`, dies at the first question.
scheduler_actor::behavior_type judge(scheduler_actor::stateful_pointer<judge_state> self,
                                     bool mortal) {
  return {
      [self, mortal](const scheduler_turn& turn, const runner_actor& runner) {
        auto& rule = state_of(self).rule;
        for (const auto& x : turn.facts)
          rule.apply(x);
        if (mortal && !turn.judge.empty()) {
          self->quit(caf::exit_reason::kill);
          return;
        }
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

own_scheduler own_judge(bool mortal = false) {
  return {"own-judge", [mortal](caf::actor_system& system) -> scheduler_actor {
            return system.spawn(judge, mortal);
          }};
}

struct source_state {
  static inline const char* name = "test.source";
  std::int64_t made = 0;
};

/// Proposes x = 3, 2, 1, 0 and has no more.
searcher_actor::behavior_type source(searcher_actor::stateful_pointer<source_state> self) {
  return {
      [self](const searcher_turn& turn, const runner_actor& runner) {
        auto& made = state_of(self).made;
        for (const auto& x : turn.facts) {
          if (const auto* said = std::get_if<suggested_fact>(&x.what)) {
            if (const auto* list = std::get_if<std::vector<suggestion>>(&said->what))
              made += static_cast<std::int64_t>(list->size());
          }
        }
        for (const auto& x : turn.asks) {
          proposal answer = exhausted{"all are out"};
          if (made < 4)
            answer = std::vector<suggestion>{
                {std::make_shared<object>(object{{"x", 3 - made}}), "countdown"}};
          send(self, runner, news{on::suggested{x.number, std::move(answer)}});
        }
      },
  };
}

own_searcher own_source() {
  own_searcher result;
  result.name = "countdown";
  result.spawn = [](caf::actor_system& system) -> searcher_actor { return system.spawn(source); };
  result.traits.exhaustible = true;
  return result;
}

TEST_F(tuner_test, judges_by_an_actor_of_the_users_own) {
  auto grid = tuner{bowls()}.run(options().scheduler(own_judge()));

  ASSERT_TRUE(grid) << to_text(grid.error());
  ASSERT_EQ(grid->trials().size(), 3u);
  EXPECT_EQ(grid->trials()[0].iterations, 2u);
  EXPECT_EQ(grid->trials()[1].iterations, 5u);
}

TEST_F(tuner_test, searches_by_an_actor_of_the_users_own) {
  auto grid = tuner{bowls()}.run(options().searcher(own_source()));

  ASSERT_TRUE(grid) << to_text(grid.error());
  ASSERT_EQ(grid->trials().size(), 4u);
  EXPECT_EQ(grid->trials()[0].origin, "countdown");
  EXPECT_EQ(number(grid->best()->config, "x"), 0);
}

TEST_F(tuner_test, is_interrupted_where_the_users_own_actor_dies) {
  auto grid = tuner{bowls()}.run(options().scheduler(own_judge(true)));

  ASSERT_TRUE(grid) << to_text(grid.error());
  // The experiment can be resumed once the fault is mended.
  EXPECT_EQ(grid->status(), experiment_status::interrupted);
  EXPECT_THAT(grid->why(), HasSubstr("the scheduler failed: its actor ended"));
}

/// Starts trials, but never judges any.
scheduler_actor::behavior_type mute(scheduler_actor::stateful_pointer<judge_state> self) {
  return {
      [self](const scheduler_turn& turn, const runner_actor& runner) {
        auto& rule = state_of(self).rule;
        for (const auto& x : turn.facts)
          rule.apply(x);
        for (const auto& x : turn.choose)
          send(self, runner, news{on::chosen{rule.choose(x.at, x.count)}});
      },
  };
}

TEST_F(tuner_test, is_interrupted_where_the_users_own_scheduler_never_answers) {
  auto silent = own_judge();
  silent.spawn = [](caf::actor_system& system) -> scheduler_actor { return system.spawn(mute); };
  silent.answer_timeout = std::chrono::milliseconds{100};

  auto grid = tuner{bowls()}.run(options().scheduler(silent));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->status(), experiment_status::interrupted);
  EXPECT_THAT(grid->why(), HasSubstr("the scheduler failed: it has not answered for 100 ms "));
}

/// Proposes x = 3. At the second question it throws if `throws`; otherwise it stays silent.
searcher_actor::behavior_type faulty(searcher_actor::stateful_pointer<source_state> self,
                                     bool throws) {
  return {
      [self, throws](const searcher_turn& turn, const runner_actor& runner) {
        auto& asked = state_of(self).made;
        for (const auto& x : turn.asks) {
          if (++asked > 1 && throws)
            throw std::runtime_error{"out of ideas"};
          if (asked == 1)
            send(self, runner,
                 news{on::suggested{x.number,
                                    std::vector<suggestion>{
                                        {std::make_shared<object>(object{{"x", 3}}), "faulty"}}}});
        }
      },
  };
}

own_searcher faulty_source(bool throws) {
  auto result = own_source();
  result.spawn = [throws](caf::actor_system& system) -> searcher_actor {
    return system.spawn(faulty, throws);
  };
  return result;
}

TEST_F(tuner_test, goes_on_where_the_users_own_searcher_threw_once_that_is_mended) {
  auto broken = tuner{bowls()}.run(options().searcher(faulty_source(true)));
  auto mended = tuner{bowls()}.run(options().searcher(own_source()).resume());

  ASSERT_TRUE(broken) << to_text(broken.error());
  EXPECT_EQ(broken->status(), experiment_status::interrupted);
  EXPECT_THAT(broken->why(), HasSubstr("the searcher failed: "));
  ASSERT_TRUE(mended) << to_text(mended.error());
  EXPECT_EQ(mended->status(), experiment_status::done);
  EXPECT_EQ(mended->trials().size(), 4u);
}

TEST_F(tuner_test, is_interrupted_where_the_users_own_searcher_never_answers) {
  auto silent = faulty_source(false);
  silent.answer_timeout = std::chrono::milliseconds{100};

  auto grid = tuner{bowls()}.run(options().searcher(silent));

  ASSERT_TRUE(grid) << to_text(grid.error());
  EXPECT_EQ(grid->status(), experiment_status::interrupted);
  EXPECT_THAT(grid->why(), HasSubstr("it has not answered question 2 for 100 ms"));
}

TEST_F(tuner_test, goes_on_with_an_actor_of_the_same_name) {
  meeting endless;
  endless.gate.open();
  tuner uut{endless.trainables()};
  std::thread other{[&] {
    endless.began.wait_for(3);
    uut.interrupt();
  }};
  auto first = uut.run(options().scheduler(own_judge()));
  other.join();

  auto another = tuner{bowls()}.run(options().scheduler("asha").resume());
  auto same = tuner{bowls()}.run(options().scheduler(own_judge()).resume());

  ASSERT_TRUE(first) << to_text(first.error());
  ASSERT_FALSE(another);
  EXPECT_EQ(another.error().code, ec::refused);
  EXPECT_THAT(another.error().detail, HasSubstr("was \"own-judge\", is \"asha\""));
  ASSERT_TRUE(same) << to_text(same.error());
  EXPECT_EQ(same->status(), experiment_status::done);
}

TEST_F(tuner_test, goes_on_with_a_searcher_of_the_same_name_and_with_no_other) {
  meeting endless;
  endless.gate.open();
  tuner uut{endless.trainables()};
  std::thread other{[&] {
    endless.began.wait_for(3);
    uut.interrupt();
  }};
  auto first = uut.run(options().searcher(own_source()));
  other.join();

  auto none = tuner{bowls()}.run(options().resume());
  auto same = tuner{bowls()}.run(options().searcher(own_source()).resume());

  ASSERT_TRUE(first) << to_text(first.error());
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().detail, HasSubstr("countdown"));
  ASSERT_TRUE(same) << to_text(same.error());
  EXPECT_EQ(same->status(), experiment_status::done);
  EXPECT_EQ(same->trials().size(), 4u);
}

TEST_F(tuner_test, says_which_recovery_is_not_there) {
  auto snapshot = own_judge();
  snapshot.recovers = recovery::snapshot;
  auto none = own_source();
  none.recovers = recovery::none;

  auto refused = tuner{bowls()}.run(options().scheduler(snapshot));
  auto warned = tuner{bowls()}.run(options().searcher(none));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::refused);
  EXPECT_THAT(refused.error().detail, HasSubstr("snapshot"));
  ASSERT_TRUE(warned) << to_text(warned.error());
  ASSERT_EQ(warned->warnings().size(), 1u);
  EXPECT_THAT(warned->warnings()[0], HasSubstr("countdown does not recover"));
}

TEST_F(tuner_test, runs_in_an_actor_system_that_is_there_already) {
  caf::actor_system_config config;
  configure(config, 2);
  caf::actor_system system{config};
  tuner uut{bowls()};

  // The second run would be refused if the first one's directory were still locked.
  auto first = uut.run(options().run_in(system));
  auto second = uut.run(options("f").run_in(system).searcher(own_source()));
  auto third = uut.run(options().run_in(system).resume());

  ASSERT_TRUE(first) << to_text(first.error());
  ASSERT_TRUE(second) << to_text(second.error());
  ASSERT_TRUE(third) << to_text(third.error());
  EXPECT_EQ(second->trials().size(), 4u);
  EXPECT_TRUE(support::eventually([&] { return running_actors(system) == 0; }));
}

TEST_F(tuner_test, refuses_an_actor_of_another_system) {
  system_config config{2};
  caf::actor_system elsewhere{config};
  auto handle = elsewhere.spawn(source);
  auto foreign = own_source();
  foreign.spawn = [handle](caf::actor_system&) -> searcher_actor { return handle; };

  auto grid = tuner{bowls()}.run(options().searcher(foreign));

  caf::anon_send_exit(handle, caf::exit_reason::user_shutdown);
  ASSERT_FALSE(grid);
  EXPECT_THAT(grid.error().detail, HasSubstr("another actor system"));
}

} // namespace
} // namespace tune
