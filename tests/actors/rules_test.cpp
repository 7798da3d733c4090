// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"

#include "tune/actors/rules.hpp"

namespace tune {
namespace {

/// Answers with what it knows: the number of facts that it was told before.
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

struct counting_searcher : searcher {
  std::uint64_t facts = 0;

  [[nodiscard]] searcher_traits traits() const override { return {}; }
  void apply(const searcher_fact&) override { ++facts; }
  [[nodiscard]] proposal propose(const ask& question) const override {
    return exhausted{std::to_string(question.number) + " after " + std::to_string(facts)};
  }
  void describe(fingerprint&) const override {}
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

TEST_F(rules_test, say_nothing_where_nothing_is_asked) {
  auto runner = mock_runner();
  auto uut = keep(spawn_scheduler(*system, std::make_unique<counting_scheduler>()));
  scheduler_turn turn;
  turn.facts.resize(2);

  tell(uut, turn, runner.actor);

  EXPECT_EQ(runner.heard->size(), 0u);
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

} // namespace
} // namespace tune
