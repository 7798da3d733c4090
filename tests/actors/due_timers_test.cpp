// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/actors/due_timers.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using due = on::ticked::due;

std::vector<on::ticked> both() {
  return {{due::progress_timeout, {1}}, {due::retry, {2}}};
}

TEST(due_timers, run_for_the_earliest_deadline_alone) {
  due_timers uut;

  EXPECT_EQ(uut.set(9s, 0s), 9s);
  EXPECT_EQ(uut.set(9s, 1s), std::nullopt);
  EXPECT_EQ(uut.set(5s, 1s), 5s);
  EXPECT_EQ(uut.set({}, 1s), std::nullopt);
  uut.rang(5s);
  EXPECT_EQ(uut.set(20s, 5s), std::nullopt) << "the first one runs still";
  uut.rang(9s);
  EXPECT_EQ(uut.set(20s, 9s), 20s);
}

TEST(due_timers, tell_of_all_that_is_due_where_they_ring_in_time) {
  due_timers uut;
  (void)uut.set(9s, 0s);

  uut.rang(9s + 10ms);

  EXPECT_EQ(uut.to_tell(both(), 9s + 10ms).size(), 2u);
}

TEST(due_timers, spare_trials_whose_reports_may_lie_unread) {
  due_timers uut;
  (void)uut.set(9s, 0s);

  // The process was stopped for at least three seconds.
  uut.rang(12s);

  const auto told = uut.to_tell(both(), 12s);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front().what, due::retry);
  EXPECT_EQ(uut.set(9s, 12s), 13s) << "what is spared is looked at again";
  uut.rang(13s);
  EXPECT_EQ(uut.to_tell(both(), 13s).size(), 1u);
  EXPECT_EQ(uut.to_tell(both(), 24s).size(), 2u) << "nobody is spared for ever";
}

TEST(due_timers, spare_nobody_for_ever_on_a_busy_machine) {
  due_timers uut;
  auto now = instant{0};
  auto times = 0;
  for (auto i = 0; i < 100; ++i) {
    now = *uut.set(now + 100ms, now) + 60ms;
    uut.rang(now);
    times += uut.to_tell(both(), now).size() == 2 ? 1 : 0;
  }
  EXPECT_GT(times, 70);
}

} // namespace
} // namespace tune
