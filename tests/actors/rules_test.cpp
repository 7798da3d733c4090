// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"

#include "tune/actors/rules.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace tune {
namespace {

/// Answers with the number of facts that it was told so far.
struct counting_scheduler : scheduler {
  std::int64_t facts = 0;

  [[nodiscard]] scheduler_traits traits() const override { return {}; }
  void apply(const scheduler_fact&) override { ++facts; }
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    return {cause, {{trial, go_on{}, {{"facts", facts}}}}};
  }
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override {
    return {at, std::vector<trial_id>(count, trial_id{static_cast<std::uint64_t>(facts)})};
  }
  [[nodiscard]] decision on_stall(sequence at) const override { return {at, {}}; }
  void describe(fingerprint&) const override {}
};

/// Defers its verdicts on trial 9.
struct thinking_scheduler : counting_scheduler {
  bool fails = false;
  bool is_easy = false;
  /// Error added to the cause in its deferred answers, to make them wrong.
  sequence off = 0;

  [[nodiscard]] deferred_decision judge_later(sequence cause, trial_id trial) const override {
    if (trial.number != 9 || is_easy)
      return {};
    return [fails = fails, answer = counting_scheduler::judge(cause + off, trial)] {
      if (fails)
        throw std::runtime_error{"no idea"};
      return answer;
    };
  }
};

struct counting_searcher : searcher {
  std::uint64_t facts = 0;

  [[nodiscard]] searcher_traits traits() const override { return {}; }
  void apply(const searcher_fact&) override { ++facts; }
  [[nodiscard]] proposal propose(const ask& question) const override {
    return exhausted{std::to_string(question.number) + " after " + std::to_string(facts)};
  }
  void describe(fingerprint&) const override {}
};

/// Defers its answer to every question but the first.
struct thinking_searcher : counting_searcher {
  bool fails = false;
  bool sketches = true;

  [[nodiscard]] searcher_traits traits() const override {
    auto result = counting_searcher::traits();
    result.sketches = sketches;
    return result;
  }

  [[nodiscard]] deferred_proposal propose_later(const ask& question) const override {
    if (question.number == 1)
      return {};
    return [fails = fails, answer = propose(question)] {
      if (fails)
        throw std::runtime_error{"no idea"};
      return answer;
    };
  }
};

using rules_test = support::deterministic_system;

TEST_F(rules_test, hear_facts_before_questions_of_the_same_turn) {
  auto runner = mock_runner();
  auto uut = keep(spawn_scheduler(*system, std::make_unique<counting_scheduler>()));
  scheduler_turn turn;
  turn.facts.resize(3);
  turn.judge.push_back({11, trial_id{4}});

  tell(uut, turn, runner.actor);

  auto said = runner.heard->take_news<on::decided>();
  ASSERT_EQ(said.answers.size(), 1u);
  EXPECT_EQ(said.answers[0].cause, 11u);
  EXPECT_EQ(said.answers[0].actions[0].trial.number, 4u);
  EXPECT_EQ(*said.answers[0].actions[0].reason.find("facts"), value{3});
}

TEST_F(rules_test, answer_a_batch_of_questions_with_one_event) {
  auto runner = mock_runner();
  auto uut = keep(spawn_scheduler(*system, std::make_unique<counting_scheduler>()));
  scheduler_turn turn;
  turn.judge = {{11, trial_id{4}}, {12, trial_id{5}}};
  turn.stalls = {{13}};
  turn.choose = {{14, 2}};

  tell(uut, turn, runner.actor);

  auto said = runner.heard->take_news<on::decided>();
  ASSERT_EQ(said.answers.size(), 3u);
  EXPECT_EQ(said.answers[1].cause, 12u);
  EXPECT_EQ(said.answers[2].cause, 13u);
  auto chosen = runner.heard->take_news<on::chosen>();
  EXPECT_EQ(chosen.what.at, 14u);
  EXPECT_EQ(chosen.what.start.size(), 2u);
}

/// A scheduler with deferred verdicts, and its runner.
struct deferring_test : rules_test {
  support::mock<runner_actor> runner = mock_runner();
  scheduler_actor uut;
  /// Owned by the actor; safe to access, since nothing else runs meanwhile.
  thinking_scheduler* rule = nullptr;

  void make(bool fails = false) {
    auto made = std::make_unique<thinking_scheduler>();
    rule = made.get();
    rule->fails = fails;
    uut = keep(spawn_scheduler(*system, std::move(made), false));
  }
  void ask(std::vector<cmd::judge> what, std::vector<scheduler_fact> facts = {}) {
    scheduler_turn turn;
    turn.facts = std::move(facts);
    turn.judge = std::move(what);
    tell(uut, turn, runner.actor);
  }
  [[nodiscard]] static scheduler_fact answered(sequence cause) {
    return {0, instant{0}, fact::decided{{cause, {}}, {}}};
  }
  /// The causes of the next answers, and whether they were deferred.
  struct verdicts {
    std::vector<sequence> causes;
    bool deferred = false;
    friend bool operator==(const verdicts&, const verdicts&) = default;
    friend void PrintTo(const verdicts& x, std::ostream* to) {
      *to << (x.deferred ? "deferred " : "") << testing::PrintToString(x.causes);
    }
  };
  verdicts heard() {
    auto said = runner.heard->take<news>();
    verdicts result{{}, said.was_deferred};
    for (const auto& x : std::get<on::decided>(said.what).answers)
      result.causes.push_back(x.cause);
    return result;
  }
};

TEST_F(deferring_test, answers_others_before_what_takes_long) {
  make();
  ask({{11, trial_id{9}}, {12, trial_id{4}}});

  EXPECT_EQ(heard(), (verdicts{{12}}));
  EXPECT_EQ(heard(), (verdicts{{11}, true}));
}

TEST_F(deferring_test, answers_a_turn_also_where_all_takes_long) {
  make();
  ask({{11, trial_id{9}}});

  EXPECT_EQ(heard(), verdicts{});
  EXPECT_EQ(heard(), (verdicts{{11}, true}));
}

TEST_F(deferring_test, thinks_about_one_report_until_its_answer_is_a_fact) {
  make();
  ask({{11, trial_id{9}}, {13, trial_id{9}}});
  EXPECT_EQ(heard(), verdicts{});
  EXPECT_EQ(heard(), (verdicts{{11}, true}));
  ask({{14, trial_id{4}}}, {answered(12)});
  EXPECT_EQ(heard(), (verdicts{{14}}));
  ASSERT_EQ(runner.heard->size(), 0u);

  ask({}, {answered(11)});

  auto said = runner.heard->take_news<on::decided>();
  ASSERT_EQ(said.answers.size(), 1u);
  EXPECT_EQ(said.answers[0].cause, 13u);
  EXPECT_EQ(*said.answers[0].actions[0].reason.find("facts"), value{2});
}

TEST_F(deferring_test, answers_what_has_become_easy_meanwhile) {
  make();
  ask({{11, trial_id{9}}, {13, trial_id{9}}});
  EXPECT_EQ(heard(), verdicts{});
  EXPECT_EQ(heard(), (verdicts{{11}, true}));
  rule->is_easy = true;

  ask({{14, trial_id{4}}}, {answered(11)});

  EXPECT_EQ(heard(), (verdicts{{13}, true}));
  EXPECT_EQ(heard(), (verdicts{{14}}));
}

TEST_F(deferring_test, goes_on_to_new_questions_once_all_are_answered) {
  make();
  ask({{11, trial_id{9}}});
  EXPECT_EQ(heard(), verdicts{});
  EXPECT_EQ(heard(), (verdicts{{11}, true}));

  ask({{12, trial_id{9}}}, {answered(11)});

  EXPECT_EQ(heard(), verdicts{});
  EXPECT_EQ(heard(), (verdicts{{12}, true}));
}

TEST_F(deferring_test, ends_the_run_where_an_answer_is_about_another_event) {
  make();
  rule->off = 3;
  ask({{11, trial_id{9}}});
  EXPECT_EQ(heard(), verdicts{});

  EXPECT_THAT(runner.heard->take_news<on::interrupted>().why,
              testing::HasSubstr("asked about event 11, and answered about event 14"));
  EXPECT_TRUE(is_gone(uut));
}

TEST_F(deferring_test, ends_the_run_where_thinking_fails) {
  make(true);
  ask({{11, trial_id{9}}});
  EXPECT_EQ(heard(), verdicts{});

  EXPECT_THAT(runner.heard->take_news<on::interrupted>().why,
              testing::HasSubstr("the scheduler failed: no idea"));
  EXPECT_TRUE(is_gone(uut));
}

TEST_F(rules_test, say_nothing_where_nothing_is_asked) {
  auto runner = mock_runner();
  auto uut = keep(spawn_scheduler(*system, std::make_unique<counting_scheduler>()));
  scheduler_turn turn;
  turn.facts.resize(2);

  tell(uut, turn, runner.actor);

  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(rules_test, take_a_proposal_that_takes_its_time_as_it_was_when_it_was_asked_for) {
  auto runner = mock_runner();
  auto uut = keep(spawn_searcher(*system, std::make_unique<thinking_searcher>(), false));
  searcher_turn turn;
  turn.facts.resize(2);
  turn.asks = {{1, 1, 5}, {2, 1, 5}, {3, 1, 5}};
  searcher_turn later;
  later.facts.resize(4);

  send_from_outside(uut, turn, runner.actor);
  send_from_outside(uut, later, runner.actor);
  run_now();

  auto answer = [&](bool was_deferred) {
    auto said = runner.heard->take<news>();
    EXPECT_EQ(said.was_deferred, was_deferred);
    return std::get<exhausted>(std::get<on::suggested>(said.what).what).why;
  };
  EXPECT_EQ(answer(false), "1 after 2");
  EXPECT_EQ(answer(true), "2 after 2");
  // One job at a time: the next begins after the previous answer, with the facts known by then.
  EXPECT_EQ(answer(true), "3 after 6");
  EXPECT_EQ(runner.heard->size(), 0u);
}

/// A searcher that thinks.
struct thinking_test : rules_test {
  /// What it says to the questions, one after the other.
  std::vector<std::string> said_to(std::vector<ask> questions, bool sketches = true) {
    auto runner = mock_runner();
    auto rule = std::make_unique<thinking_searcher>();
    rule->sketches = sketches;
    auto uut = keep(spawn_searcher(*system, std::move(rule), false));
    searcher_turn turn;
    turn.asks = std::move(questions);
    tell(uut, turn, runner.actor);
    std::vector<std::string> result;
    while (runner.heard->size() > 0)
      result.push_back(std::get<exhausted>(runner.heard->take_news<on::suggested>().what).why);
    return result;
  }
};

TEST_F(thinking_test, draws_at_once_while_another_answer_is_worked_out) {
  EXPECT_THAT(said_to({{2, 1, 5}, {3, 1, 5, drafting::quick}, {4, 1, 5}}),
              testing::ElementsAre("3 after 0", "2 after 0", "4 after 0"));
}

TEST_F(thinking_test,
       asks_nothing_of_a_searcher_that_works_an_answer_out_and_cannot_draw_meanwhile) {
  EXPECT_THAT(said_to({{2, 1, 5}, {3, 1, 5, drafting::quick}}, false),
              testing::ElementsAre("2 after 0", "3 after 0"));
}

TEST_F(thinking_test, does_not_begin_what_was_given_up_for_the_next_question) {
  EXPECT_THAT(said_to({{2, 1, 5}, {3, 1, 5}, {4, 1, 5}}),
              testing::ElementsAre("2 after 0", "4 after 0"));
}

TEST_F(rules_test, end_the_run_where_a_searcher_fails_while_it_thinks) {
  auto runner = mock_runner();
  auto rule = std::make_unique<thinking_searcher>();
  rule->fails = true;
  auto uut = keep(spawn_searcher(*system, std::move(rule), false));
  searcher_turn turn;
  turn.asks = {{2, 1, 5}};

  tell(uut, turn, runner.actor);

  EXPECT_THAT(runner.heard->take_news<on::interrupted>().why,
              testing::HasSubstr("the searcher failed: no idea"));
  EXPECT_TRUE(is_gone(uut));
}

TEST_F(rules_test, answer_each_asker_however_late) {
  auto one = mock_runner();
  auto other = mock_runner();
  auto uut = keep(spawn_searcher(*system, std::make_unique<counting_searcher>()));
  searcher_turn early;
  early.asks = {{1, 1, 5}};
  searcher_turn late;
  late.facts.resize(2);
  late.asks = {{2, 1, 9}, {3, 1, 9}};

  send_from_outside(uut, early, one.actor);
  send_from_outside(uut, late, other.actor);
  ASSERT_EQ(one.heard->size(), 0u);
  run_now();

  auto first = one.heard->take_news<on::suggested>();
  EXPECT_EQ(first.ask, 1u);
  EXPECT_EQ(std::get<exhausted>(first.what).why, "1 after 0");
  EXPECT_EQ(std::get<exhausted>(other.heard->take_news<on::suggested>().what).why, "2 after 2");
  EXPECT_EQ(std::get<exhausted>(other.heard->take_news<on::suggested>().what).why, "3 after 2");
}

/// Proposes a suggestion without a configuration.
struct hollow_searcher : counting_searcher {
  [[nodiscard]] proposal propose(const ask&) const override {
    return std::vector<suggestion>{{nullptr, "hollow"}};
  }
};

TEST_F(rules_test, a_suggestion_without_a_configuration_interrupts_the_run) {
  auto runner = mock_runner();
  auto uut = keep(spawn_searcher(*system, std::make_unique<hollow_searcher>()));
  searcher_turn turn;
  turn.asks = {{1, 1}};

  tell(uut, turn, runner.actor);

  EXPECT_EQ(runner.heard->take_news<on::interrupted>().why,
            "the searcher failed: it answered question 1 with a suggestion that has no "
            "configuration");
}

} // namespace
} // namespace tune
