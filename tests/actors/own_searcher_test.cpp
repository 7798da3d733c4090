// Faults of a searcher that is the user's own actor, and their consequences.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"

#include "tune/actors/own_searcher.hpp"
#include "tune/actors/own_trainable.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <stdexcept>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// How the user's actor answers; each test sets this.
struct manner {
  std::function<void(const ask& question, const std::function<void(event_body)>& say)> answer
      = [](const ask&, const auto&) {};
  std::function<caf::error()> reply = [] { return caf::error{}; };
  std::size_t facts = 0;
};

struct own_state {
  static inline const char* name = "test.own_searcher";
  std::shared_ptr<manner> how;
};

searcher_actor::behavior_type own(searcher_actor::stateful_pointer<own_state> self,
                                  const std::shared_ptr<manner>& how) {
  tell_exceptions(self);
  state_of(self).how = how;
  return {
      [self](const searcher_turn& turn, const runner_actor& runner) -> caf::result<void> {
        auto& own = *state_of(self).how;
        own.facts += turn.facts.size();
        for (const auto& x : turn.asks)
          own.answer(x, [&](event_body what) { send(self, runner, news{std::move(what)}); });
        if (auto why = own.reply())
          return why;
        return caf::unit;
      },
  };
}

proposal some(std::size_t count) {
  return std::vector<suggestion>(count, {std::make_shared<const object>(object{{"x", 1}}), "own"});
}

struct own_searcher_test : support::deterministic_system {
  std::shared_ptr<manner> how = std::make_shared<manner>();
  support::mock<runner_actor> runner = mock_runner();
  searcher_actor who;
  searcher_actor uut;

  void make(std::chrono::nanoseconds patience = 10s) {
    who = keep(system->spawn(own, how));
    uut = keep(guard_searcher(*system, who, patience));
  }
  void put(std::uint64_t number, std::uint32_t count = 1) {
    searcher_turn turn;
    turn.facts.resize(2);
    turn.asks = {{number, count}};
    tell(uut, turn, runner.actor);
  }
  std::string failure() { return runner.heard->take_news<on::interrupted>().why; }
};

TEST_F(own_searcher_test, facts_questions_and_answers_pass) {
  how->answer = [](const ask& x, const auto& say) { say(on::suggested{x.number, some(2)}); };
  make();

  put(1, 2);

  auto said = runner.heard->take_news<on::suggested>();
  EXPECT_EQ(said.ask, 1u);
  EXPECT_EQ(std::get<std::vector<suggestion>>(said.what).size(), 2u);
  EXPECT_EQ(how->facts, 2u);
}

TEST_F(own_searcher_test, an_answer_may_come_late_within_its_patience) {
  std::function<void(event_body)> later;
  how->answer = [&](const ask&, const auto& say) { later = say; };
  make(10s);
  put(1);
  pass(9s);

  EXPECT_THAT(runner.take<remark>().text, HasSubstr("has not answered question 1 yet; without an "
                                                    "answer the run is interrupted after 10 s"));
  how->answer = [](const ask& x, const auto& say) {
    say(on::suggested{1, some(1)});
    say(on::suggested{x.number, some(1)});
  };
  put(2);
  EXPECT_EQ(runner.heard->take_news<on::suggested>().ask, 1u);
  EXPECT_EQ(runner.heard->take_news<on::suggested>().ask, 2u);
  pass(30s);
  EXPECT_FALSE(has_timer());
}

TEST_F(own_searcher_test, one_that_never_answers_is_said_and_given_up) {
  make(10s);
  put(3);
  pass(12s);

  EXPECT_THAT(runner.take<remark>().text, HasSubstr("question 3"));
  EXPECT_EQ(failure(), "the searcher failed: it has not answered question 3 for 10 s");
}

TEST_F(own_searcher_test, without_a_limit_it_is_waited_for) {
  make(0s);
  put(3);
  pass(1h);

  EXPECT_FALSE(has_timer());
}

TEST_F(own_searcher_test, one_that_ends_is_told_with_its_cause) {
  make();
  put(1);
  auto why = caf::make_error(caf::sec::runtime_error, std::string{"no licence"});
  caf::anon_send(caf::actor_cast<caf::actor>(who), caf::exit_msg{{}, std::move(why)});
  run_now();

  EXPECT_EQ(failure(), "the searcher failed: its actor ended: no licence");
}

TEST_F(own_searcher_test, what_a_handler_throws_is_told) {
  how->answer = [](const ask&, const auto&) { throw std::runtime_error{"cannot think"}; };
  make();
  put(1);

  EXPECT_THAT(failure(), HasSubstr("cannot think"));
}

TEST_F(own_searcher_test, an_error_in_the_place_of_an_answer_is_told) {
  how->reply = [] { return caf::make_error(caf::sec::runtime_error, std::string{"not today"}); };
  make();
  put(1);

  EXPECT_EQ(failure(), "the searcher failed: its handler failed: not today");
}

TEST_F(own_searcher_test, a_suggestion_without_a_configuration_never_comes_through) {
  how->answer = [](const ask& x, const auto& say) {
    say(on::suggested{x.number, std::vector<suggestion>{{nullptr, "own"}}});
  };
  make();
  put(4);

  EXPECT_EQ(failure(), "the searcher failed: it answered question 4 with a suggestion that has no "
                       "configuration");
}

TEST_F(own_searcher_test, more_than_was_asked_for_never_comes_through) {
  how->answer = [](const ask& x, const auto& say) { say(on::suggested{x.number, some(3)}); };
  make();
  put(4, 2);

  EXPECT_EQ(failure(), "the searcher failed: question 4 was for 2 configurations, and it proposed "
                       "3");
}

TEST_F(own_searcher_test, what_it_says_unasked_has_no_effect) {
  how->answer = [](const ask& x, const auto& say) {
    say(on::suggested{x.number + 7, some(1)});
    say(on::stop_asked{{}, "enough"});
    say(on::stop_asked{{}, "enough"});
    say(on::suggested{x.number, some(1)});
    say(on::suggested{x.number, some(1)});
  };
  make();
  put(1);

  EXPECT_THAT(runner.take<remark>().text, HasSubstr("said 'stop_asked', which is no answer"));
  EXPECT_EQ(runner.heard->take_news<on::suggested>().ask, 1u);
}

} // namespace
} // namespace tune
