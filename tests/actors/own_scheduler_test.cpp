// Faults of a scheduler that is the user's own actor, and their consequences.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"

#include "tune/actors/own_scheduler.hpp"
#include "tune/actors/own_trainable.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// How the user's actor answers; each test sets this.
struct judging_manner {
  using say_function = std::function<void(event_body)>;
  std::function<void(const scheduler_turn& turn, const say_function& say)> answer
      = [](const scheduler_turn&, const say_function&) {};
  std::function<caf::error()> reply = [] { return caf::error{}; };
};

struct own_judge_state {
  static inline const char* name = "test.own_scheduler";
  std::shared_ptr<judging_manner> how;
};

scheduler_actor::behavior_type own_judge(scheduler_actor::stateful_pointer<own_judge_state> self,
                                         const std::shared_ptr<judging_manner>& how) {
  tell_exceptions(self);
  state_of(self).how = how;
  return {
      [self](const scheduler_turn& turn, const runner_actor& runner) -> caf::result<void> {
        auto& own = *state_of(self).how;
        own.answer(turn, [&](event_body what) { send(self, runner, news{std::move(what)}); });
        if (auto why = own.reply())
          return why;
        return caf::unit;
      },
  };
}

on::decided verdict_on(sequence cause) {
  return {{{cause, {{trial_id{1}, go_on{}, {}}}}}};
}

struct own_scheduler_test : support::deterministic_system {
  std::shared_ptr<judging_manner> how = std::make_shared<judging_manner>();
  support::mock<runner_actor> runner = mock_runner();
  scheduler_actor who;
  scheduler_actor uut;

  void make(std::chrono::nanoseconds patience = 10s) {
    who = keep(system->spawn(own_judge, how));
    uut = keep(guard_scheduler(*system, who, patience));
  }
  void put(scheduler_turn turn) { tell(uut, std::move(turn), runner.actor); }
  void put_report(sequence cause) {
    scheduler_turn turn;
    turn.judge = {{cause, trial_id{1}}};
    put(turn);
  }
  void put_fact(decltype(scheduler_fact::what) what) {
    scheduler_turn turn;
    turn.facts.resize(1);
    turn.facts.front().what = std::move(what);
    put(turn);
  }
  /// Answers every report about the event that `of` makes of its own.
  void answer_about(const std::function<sequence(sequence)>& of) {
    how->answer = [of](const scheduler_turn& turn, const auto& say) {
      for (const auto& x : turn.judge)
        say(verdict_on(of(x.cause)));
    };
  }
  sequence heard_verdict() { return runner.heard->take_news<on::decided>().answers.front().cause; }
  std::string failure() { return runner.heard->take_news<on::interrupted>().why; }
};

TEST_F(own_scheduler_test, facts_questions_and_answers_pass) {
  std::size_t facts = 0;
  how->answer = [&](const scheduler_turn& turn, const auto& say) {
    facts += turn.facts.size();
    for (const auto& x : turn.judge)
      say(verdict_on(x.cause));
    for (const auto& x : turn.stalls)
      say(verdict_on(x.at));
    for (const auto& x : turn.choose)
      say(on::chosen{{x.at, {trial_id{4}}}});
  };
  make();
  scheduler_turn turn;
  turn.facts.resize(2);
  turn.judge = {{5, trial_id{1}}};
  turn.stalls = {{6}};
  turn.choose = {{7, 1}};

  put(turn);

  EXPECT_EQ(facts, 2u);
  EXPECT_EQ(heard_verdict(), 5u);
  EXPECT_EQ(heard_verdict(), 6u);
  EXPECT_EQ(runner.heard->take_news<on::chosen>().what.at, 7u);
  pass(30s);
  EXPECT_FALSE(has_timer());
}

TEST_F(own_scheduler_test, an_answer_about_another_event_interrupts_the_run) {
  answer_about([](sequence x) { return x + 3; });
  make();
  put_report(5);

  EXPECT_EQ(failure(),
            "the scheduler failed: it was asked about event 5, and answered about event 8");
}

TEST_F(own_scheduler_test, an_answer_about_an_event_that_nobody_asked_about_interrupts_the_run) {
  how->answer = [](const scheduler_turn&, const auto& say) { say(verdict_on(9)); };
  make();
  put_fact(fact::started{trial_id{1}});

  EXPECT_EQ(failure(),
            "the scheduler failed: it answered about event 9, about which it was not asked");
}

TEST_F(own_scheduler_test, one_that_never_answers_is_said_and_given_up) {
  make(10s);
  put_report(5);
  pass(12s);

  EXPECT_EQ(runner.take<remark>().text,
            "the scheduler has not answered yet what becomes of trial 00001 after its report "
            "(event 5); without an answer the run is interrupted after 10 s");
  EXPECT_EQ(failure(), "the scheduler failed: it has not answered for 10 s what becomes of trial "
                       "00001 after its report (event 5)");
}

TEST_F(own_scheduler_test, an_answer_to_another_question_is_waited_for_no_less) {
  answer_about([](sequence x) { return x; });
  make(10s);
  scheduler_turn turn;
  turn.choose = {{4, 2}};
  put(turn);
  for (sequence x = 5; x < 9; ++x) {
    put_report(x);
    EXPECT_EQ(heard_verdict(), x);
    pass(400ms);
  }
  pass(10s);

  EXPECT_THAT(runner.take<remark>().text, HasSubstr("not answered yet which trials to start"));
  EXPECT_THAT(failure(), HasSubstr("for 10 s which trials to start (event 4)"));
}

TEST_F(own_scheduler_test, nothing_waits_for_an_answer_about_a_trial_that_has_ended) {
  make(10s);
  put_report(5);
  fact::ended end;
  end.trial = trial_id{1};
  put_fact(end);
  pass(30s);
  EXPECT_FALSE(has_timer());

  // It may come nevertheless.
  answer_about([](sequence) { return 5; });
  put_report(6);
  EXPECT_EQ(heard_verdict(), 5u);
}

TEST_F(own_scheduler_test, an_answer_that_comes_twice_does_no_harm) {
  how->answer = [](const scheduler_turn& turn, const auto& say) {
    for (const auto& x : turn.judge) {
      say(verdict_on(x.cause));
      say(verdict_on(x.cause));
    }
  };
  make();
  put_report(5);

  EXPECT_EQ(heard_verdict(), 5u);
  EXPECT_EQ(heard_verdict(), 5u);
}

TEST_F(own_scheduler_test, without_a_limit_it_is_waited_for) {
  make(0s);
  put_report(5);
  pass(1h);

  EXPECT_FALSE(has_timer());
}

TEST_F(own_scheduler_test, one_that_ends_is_told_with_its_cause) {
  make();
  put_report(5);
  auto why = caf::make_error(caf::sec::runtime_error, std::string{"no licence"});
  caf::anon_send(caf::actor_cast<caf::actor>(who), caf::exit_msg{{}, std::move(why)});
  run_now();

  EXPECT_EQ(failure(), "the scheduler failed: its actor ended: no licence");
}

TEST_F(own_scheduler_test, what_a_handler_throws_is_told) {
  how->answer
      = [](const scheduler_turn&, const auto&) { throw std::runtime_error{"cannot judge"}; };
  make();
  put_report(5);

  EXPECT_THAT(failure(), HasSubstr("cannot judge"));
}

TEST_F(own_scheduler_test, an_error_in_the_place_of_an_answer_is_told) {
  how->reply = [] { return caf::make_error(caf::sec::runtime_error, std::string{"not today"}); };
  make();
  put_report(5);

  EXPECT_EQ(failure(), "the scheduler failed: its handler failed: not today");
}

TEST_F(own_scheduler_test, what_it_says_besides_has_no_effect) {
  how->answer = [](const scheduler_turn&, const auto& say) {
    say(on::stop_asked{{}, "enough"});
    say(on::stop_asked{{}, "enough"});
  };
  make(0s);
  put_report(5);

  EXPECT_THAT(runner.take<remark>().text, HasSubstr("said 'stop_asked', which is no answer"));
}

} // namespace
} // namespace tune
