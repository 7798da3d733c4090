// Rules of one's own that fail in a simulated experiment: it ends as a run does.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/simulate/simulation.hpp"

#include "tune/core/check/replay_check.hpp"

#include "support/toy_scheduler.hpp"
#include "support/world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tune {
namespace {

using std::chrono::milliseconds;

/// Where a rule fails, from its third result on.
enum class rule_fault : std::uint8_t { none, apply, judge, later, choose, stall, event, odd };

/// Pauses trials where it is to fail at a stall, so that there is one.
class failing_scheduler : public support::obliging_scheduler {
public:
  explicit failing_scheduler(rule_fault where) : where_{where} {}

  void apply(const scheduler_fact& what) override {
    results_ += std::holds_alternative<fact::result>(what.what) ? 1 : 0;
    fail_at(rule_fault::apply);
    obliging_scheduler::apply(what);
  }
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    fail_at(rule_fault::judge);
    if (where_ == rule_fault::odd && results_ > 2)
      throw 7;
    if (where_ == rule_fault::stall)
      return {cause, {{trial, pause_trial{}, {}}}};
    return {where_ == rule_fault::event && results_ > 2 ? cause + 7 : cause,
            {{trial, go_on{}, {}}}};
  }
  [[nodiscard]] deferred_decision judge_later(sequence cause, trial_id) const override {
    if (where_ != rule_fault::later)
      return {};
    return [this, cause]() -> decision {
      fail_at(rule_fault::later);
      return {cause, {}};
    };
  }
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override {
    fail_at(rule_fault::choose);
    return obliging_scheduler::choose(at, count);
  }
  [[nodiscard]] decision on_stall(sequence) const override { throw std::runtime_error{"my rule"}; }

private:
  rule_fault where_;
  std::uint64_t results_ = 0;

  void fail_at(rule_fault here) const {
    if (where_ == here && results_ > 2)
      throw std::runtime_error{"my rule"};
  }
};

/// Proposes as many too many as it is told to, or throws.
class failing_searcher : public support::counting_searcher {
public:
  failing_searcher(bool throws, std::uint32_t more)
      : counting_searcher{100, 1}, throws_{throws}, more_{more} {}

  [[nodiscard]] proposal propose(const ask& question) const override {
    if (throws_)
      throw std::runtime_error{"my source"};
    auto asked = question;
    asked.count += more_;
    return counting_searcher::propose(asked);
  }

private:
  bool throws_;
  std::uint32_t more_;
};

struct frail_world {
  simulation_options how;
  experiment_settings settings;

  explicit frail_world(std::uint64_t seed = 1, milliseconds most_delay = milliseconds{20}) {
    how.seed = seed;
    how.most_delay = most_delay;
    resources slots;
    slots.cpu = amount::of(3);
    how.nodes.push_back({"here", slots});
    settings.objectives = {{"loss", false}};
    settings.saves = save_ability::on_request;
    resources slot;
    slot.cpu = amount::of(1);
    settings.request.bundles.assign(1, slot);
  }

  [[nodiscard]] simulation of(const simulation::make_rules& rules) const {
    return {how, settings, rules,
            std::make_shared<support::falling_loss>(how.seed, 8, milliseconds{20})};
  }
  /// How the experiment ends: "status: why", or the broken promise.
  [[nodiscard]] std::string end_of(const simulation::make_rules& rules) const {
    auto uut = of(rules);
    uut.run();
    if (!uut.found().empty())
      return "broken: " + to_text(uut.found().kept().front());
    const auto end = uut.finished();
    return end ? std::string{to_text(end->status)} + ": " + end->why : "no end";
  }
};

simulation::make_rules judged_by_failing(rule_fault where, std::uint64_t trials = 10) {
  return [where, trials] {
    return rule_set{std::make_unique<failing_scheduler>(where),
                    std::make_unique<support::counting_searcher>(trials, 2),
                    {}};
  };
}

simulation::make_rules proposed_by_failing(bool throws, std::uint32_t more) {
  return [throws, more] {
    return rule_set{std::make_unique<support::obliging_scheduler>(),
                    std::make_unique<failing_searcher>(throws, more),
                    {}};
  };
}

void PrintTo(rule_fault x, std::ostream* out) {
  *out << static_cast<int>(x);
}

class any_rule_fault : public testing::TestWithParam<rule_fault> {};

TEST_P(any_rule_fault, of_the_scheduler_interrupts_the_experiment_whatever_the_delays) {
  const auto rules = judged_by_failing(GetParam());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (auto most_delay : {milliseconds{0}, milliseconds{20}})
      EXPECT_EQ((frail_world{seed, most_delay}.end_of(rules)),
                "interrupted: the scheduler failed: my rule")
          << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(simulation, any_rule_fault,
                         testing::Values(rule_fault::apply, rule_fault::judge, rule_fault::later,
                                         rule_fault::choose, rule_fault::stall));

TEST(failing_rules, a_scheduler_that_answers_about_another_event_is_named) {
  const auto told = frail_world{}.end_of(judged_by_failing(rule_fault::event));

  EXPECT_TRUE(told.starts_with("interrupted: the scheduler failed: it was asked about event "))
      << told;
}

TEST(failing_rules, what_is_no_exception_of_the_standard_library_is_told_too) {
  EXPECT_EQ(frail_world{}.end_of(judged_by_failing(rule_fault::odd)),
            "interrupted: the scheduler failed: an exception");
}

TEST(failing_rules, a_searcher_that_throws_interrupts_the_experiment) {
  EXPECT_EQ(frail_world{}.end_of(proposed_by_failing(true, 0)),
            "interrupted: the searcher failed: my source");
}

TEST(failing_rules, a_searcher_that_proposes_too_much_interrupts_the_experiment) {
  const auto told = frail_world{}.end_of(proposed_by_failing(false, 1));

  EXPECT_TRUE(told.starts_with("interrupted: the searcher failed: question 1 was for ")) << told;
}

TEST(failing_rules, trials_are_left_off_in_order_and_the_failure_is_told_once) {
  auto how = frail_world{};
  how.how.faults.doubled = 1;
  auto uut = how.of(judged_by_failing(rule_fault::judge));

  uut.run();

  EXPECT_TRUE(uut.found().empty());
  const auto counts = uut.machine().view().counts;
  EXPECT_EQ(counts[static_cast<std::size_t>(trial_status::running)], 0u);
  EXPECT_EQ(counts[static_cast<std::size_t>(trial_status::errored)], 0u);
  std::size_t told = 0;
  for (const auto& x : uut.log())
    told += std::holds_alternative<on::interrupted>(x.what);
  EXPECT_EQ(told, 1u);
}

TEST(failing_rules, a_head_that_takes_over_is_interrupted_where_the_record_makes_them_fail) {
  auto fails = std::make_shared<bool>(false);
  auto how = frail_world{};
  auto uut = how.of(
      [fails] { return judged_by_failing(*fails ? rule_fault::apply : rule_fault::none)(); });
  uut.run(60);
  ASSERT_FALSE(uut.finished());

  *fails = true;
  uut.lose_head();
  uut.run();

  EXPECT_TRUE(uut.found().empty());
  ASSERT_TRUE(uut.finished());
  EXPECT_EQ(uut.finished()->why, "the scheduler failed: my rule");
}

// -- The record of rules that did not fail, verified by those that do (`fsck --verify`).

std::vector<std::string> found_by(rule_set rules, bool verifies = true) {
  frail_world how;
  auto run = how.of(judged_by_failing(rule_fault::none));
  run.run();
  replay_check uut{how.settings, std::move(rules), verifies};
  for (const auto& x : run.log())
    static_cast<void>(uut.apply(x));
  uut.end();
  std::vector<std::string> result;
  for (const auto& x : uut.found().kept())
    result.push_back(x.what);
  return result;
}

class any_fault_of_replay : public testing::TestWithParam<rule_fault> {};

TEST_P(any_fault_of_replay, of_the_scheduler_is_a_finding) {
  const auto found = found_by(judged_by_failing(GetParam())());

  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const auto& x) {
    return x.starts_with("the scheduler failed: ")
           && x.find("; it is recorded to have said: ") != x.npos;
  })) << (found.empty() ? "nothing" : found.front());
  EXPECT_TRUE(found_by(judged_by_failing(GetParam())(), false).empty());
}

INSTANTIATE_TEST_SUITE_P(replay, any_fault_of_replay,
                         testing::Values(rule_fault::apply, rule_fault::judge, rule_fault::later,
                                         rule_fault::choose, rule_fault::event, rule_fault::odd));

TEST(failing_rules, a_searcher_is_verified_where_the_experiment_was_gone_on_with_otherwise) {
  frail_world how;
  const auto rules = judged_by_failing(rule_fault::none);
  auto run = how.of(rules);
  run.run();
  std::uint64_t verified[2] = {};
  for (auto changes : {false, true}) {
    replay_check uut{how.settings, rules(), true};
    if (changes)
      uut.go_by({how.settings, {}});
    for (const auto& x : run.log())
      static_cast<void>(uut.apply(x));
    uut.end();
    EXPECT_TRUE(uut.found().empty());
    verified[changes ? 1 : 0] = uut.verified();
  }
  EXPECT_GT(verified[0], 10u);
  EXPECT_EQ(verified[0], verified[1]);
}

TEST(failing_rules, a_searcher_that_fails_in_a_replay_is_a_finding) {
  const auto none = found_by(judged_by_failing(rule_fault::none)());
  EXPECT_TRUE(none.empty()) << none.front();

  const auto found = found_by(proposed_by_failing(true, 0)());

  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found.front().starts_with("the searcher failed: my source; it is recorded"))
      << found.front();
}

} // namespace
} // namespace tune
