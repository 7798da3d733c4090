// The two guarantees of recovery, R1 and R2, for a scheduler that does everything it may.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/toy_scheduler.hpp"
#include "support/world.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using support::toy_scheduler;
using support::world;
using support::world_options;

world_options wild(std::uint64_t seed) {
  world_options result;
  result.seed = seed;
  result.trials = 12;
  result.iterations = 10;
  result.failure = 0.04;
  result.save_failure = 0.1;
  result.doubled = 0.1;
  result.most_delay = seed % 3 * 20;
  return result;
}

experiment_settings tolerant() {
  experiment_settings result;
  result.objectives = {{"loss", false}};
  result.saves = save_ability::on_request;
  result.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 4;
  result.failures.backoff = std::chrono::milliseconds{30};
  result.failures.most_backoff = std::chrono::seconds{1};
  result.failures.max_consecutive_failures = 0;
  result.checkpoints.frequency = 4;
  return result;
}

class any_seed : public testing::TestWithParam<std::uint64_t> {
protected:
  std::uint64_t seed = GetParam();
  world::make_scheduler maker
      = [seed = GetParam()] { return std::make_unique<toy_scheduler>(seed); };

  /// Runs to the end, and loses the head again and again within the first `most` events.
  void run_with_crashes(world& uut, std::size_t most) const {
    for (std::size_t stop = 20; stop < most; stop += 20 + seed % 7) {
      uut.run(stop);
      if (uut.finished())
        break;
      uut.lose_head();
    }
    uut.run();
  }
  /// Checks that the run finished and that its log alone reproduces the same states.
  void expect_replayed(const world& uut, const world_options& options,
                       const experiment_settings& how) const {
    ASSERT_EQ(uut.violation(), "") << "seed " << seed;
    ASSERT_TRUE(uut.finished()) << "seed " << seed;
    // Nothing was acted on before it was durable, no question was asked twice, …
    auto found = uut.check();
    EXPECT_TRUE(found.empty()) << "seed " << seed << ": " << to_text(found.kept().front());
    auto replayed = replay_hashes(uut.log(), options, how, maker);
    for (std::size_t i = 0; i < uut.hashes().size(); ++i)
      ASSERT_EQ(uut.hashes()[i], replayed[i]) << "seed " << seed << " seq " << i + 1;
  }
};

TEST_P(any_seed, toy_scheduler_brings_every_trial_to_an_end) {
  world uut{wild(seed), tolerant(), maker};

  uut.run();

  ASSERT_EQ(uut.violation(), "") << "seed " << seed;
  ASSERT_TRUE(uut.finished()) << "seed " << seed;
  auto counts = uut.machine().view().counts;
  EXPECT_EQ(counts[3] + counts[4], 12u) << "seed " << seed;
}

TEST_P(any_seed, r1_replay_gives_the_state_of_the_uncrashed_instance) {
  world lived{wild(seed), tolerant(), maker};
  lived.run();

  auto replayed = replay_hashes(lived.log(), wild(seed), tolerant(), maker);

  ASSERT_EQ(lived.violation(), "") << "seed " << seed;
  ASSERT_EQ(replayed.size(), lived.log().size());
  for (std::size_t i = 0; i < lived.hashes().size(); ++i)
    ASSERT_EQ(lived.hashes()[i], replayed[i]) << "seed " << seed << " seq " << i + 1;
}

TEST_P(any_seed, r2_a_common_continuation_gives_the_same_answers_after_any_crash) {
  // The head is lost again and again. Each time `lose_head` compares the recovered state with the
  // original one (R1), then both go on with the same events: in the end there is one log.
  world uut{wild(seed), tolerant(), maker};
  run_with_crashes(uut, 200);

  expect_replayed(uut, wild(seed), tolerant());
  auto counts = uut.machine().view().counts;
  EXPECT_EQ(counts[3] + counts[4], 12u) << "seed " << seed;
}

TEST_P(any_seed, next_head_goes_on_where_an_interrupted_one_left_off) {
  world uut{wild(seed), tolerant(), maker};
  for (std::size_t stop = 15; !uut.finished() && stop < 150; stop += 30 + seed % 11) {
    uut.run(stop);
    if (uut.finished())
      break;
    uut.post(on::interrupted{"leave off"});
    uut.run();
    ASSERT_EQ(uut.violation(), "") << "seed " << seed;
    ASSERT_TRUE(uut.finished()) << "seed " << seed;
    if (uut.finished()->status != experiment_status::interrupted)
      break;
    EXPECT_EQ(uut.machine().view().counts[1], 0u) << "seed " << seed;
    uut.lose_head();
  }
  uut.run();

  ASSERT_EQ(uut.violation(), "") << "seed " << seed;
  ASSERT_TRUE(uut.finished()) << "seed " << seed;
  auto counts = uut.machine().view().counts;
  EXPECT_EQ(counts[3] + counts[4], 12u) << "seed " << seed;
}

TEST_P(any_seed, a_head_lost_while_it_leaves_off_costs_no_trial_anything) {
  auto how = tolerant();
  how.failures.budget = failure_policy{}.budget;
  auto options = wild(seed);
  options.failure = options.save_failure = 0;
  options.most_delay = 20;
  world uut{options, how, [] { return std::make_unique<support::obliging_scheduler>(); }};
  uut.run(20 + seed);
  uut.post(on::interrupted{"leave off"});
  uut.run(uut.log().size() + 1 + seed % 13);
  if (!uut.finished())
    uut.lose_head();
  uut.run();

  ASSERT_EQ(uut.violation(), "") << "seed " << seed;
  for (const auto& x : uut.carried()) {
    const auto* over = std::get_if<cmd::attempt_changed>(&x.what);
    EXPECT_TRUE(over == nullptr || !is_failure(over->how)) << "seed " << seed;
  }
  EXPECT_EQ(uut.machine().view().counts[4], 0u) << "seed " << seed;
  EXPECT_EQ(uut.finished()->status == experiment_status::done,
            uut.machine().view().counts[3] == 12u)
      << "seed " << seed;
}

TEST_P(any_seed, checkpoints_that_are_needed_outlive_limits_and_crashes) {
  // The world reports a violation if a missing checkpoint is to be restored.
  auto how = tolerant();
  how.checkpoints.frequency = 1;
  how.checkpoints.retention
      = {seed % 3, seed % 2 == 0 ? "loss" : "", seed % 5 == 0, seed % 7, seed % 4 * 5};
  how.failures.restart_from_scratch = seed % 2 == 0;
  auto options = wild(seed);
  options.torn = 0.1;
  world uut{options, how, maker};
  run_with_crashes(uut, 400);

  expect_replayed(uut, options, how);
}

INSTANTIATE_TEST_SUITE_P(recovery, any_seed, testing::Range<std::uint64_t>(1, 61));

} // namespace
} // namespace tune
