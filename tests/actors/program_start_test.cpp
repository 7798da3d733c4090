// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/actors/program_start.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tune {
namespace {

bool counts_as_reported(const launch_order& order) {
  auto work = std::make_shared<job>();
  work->objective = "acc";
  trainable_start what;
  what.order = order;
  what.job = work;
  return program_plan_of(what, false).saw_objective;
}

TEST(program_plan, wants_the_objective_of_an_attempt_unless_its_trial_has_reported_it) {
  launch_order order;
  EXPECT_FALSE(counts_as_reported(order)) << "from scratch";

  order.restore_from = "trials/00007/attempt_1_1/checkpoint_000001";
  EXPECT_TRUE(counts_as_reported(order)) << "there may be nothing left to do";

  order.lacks_objective = true;
  EXPECT_FALSE(counts_as_reported(order)) << "no attempt before it has reported it";

  order.rank = 1;
  EXPECT_TRUE(counts_as_reported(order)) << "rank 0 reports";
}

} // namespace
} // namespace tune
