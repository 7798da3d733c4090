// SPDX-License-Identifier: BSD-3-Clause
#include "../../../src/core/experiment/census.hpp"

#include "tune/core/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace tune {
namespace {

constexpr trial_id one{1};

TEST(census, counts_a_new_trial_as_pending) {
  census uut;
  standing x;
  uut.add(x);

  EXPECT_EQ(uut.count(trial_status::pending), 1u);
  EXPECT_EQ(uut.running(), 0u);
}

TEST(census, counts_a_change_that_is_none_once) {
  census uut;
  standing x;
  uut.add(x);
  for (int i = 0; i < 2; ++i) {
    uut.queue(one, x);
    uut.await_lease(x);
    uut.ask_for(one, x);
    uut.set_succeeded(x, true);
    uut.note_number(x);
  }

  EXPECT_EQ(uut.queued(), 1u);
  EXPECT_EQ(uut.awaiting_lease(), 1u);
  EXPECT_EQ(uut.asked_for(), 1u);
  EXPECT_EQ(uut.succeeded(), 1u);
  EXPECT_EQ(uut.promising(), 1u);
}

TEST(census, counts_no_failed_trial_as_promising) {
  census uut;
  std::array<standing, 2> all;
  for (auto& x : all)
    uut.add(x);
  uut.note_number(all[0]);
  uut.move(all[0], trial_status::errored);
  uut.move(all[1], trial_status::errored);
  uut.note_number(all[1]);
  EXPECT_EQ(uut.promising(), 0u);

  uut.move(all[0], trial_status::pending);
  EXPECT_EQ(uut.promising(), 1u) << "it is retried";
  uut.move(all[0], trial_status::terminated);
  EXPECT_EQ(uut.promising(), 1u);
}

TEST(census, knows_whom_clients_asked_for_and_who_may_be_started) {
  census uut;
  standing x;
  uut.add(x);
  uut.ask_for(one, x);
  EXPECT_TRUE(uut.asked_waiting().empty());
  uut.queue(one, x);
  EXPECT_EQ(uut.asked_waiting(), std::set<trial_id>{one});
  uut.leave_queue(one, x);
  EXPECT_TRUE(uut.asked_waiting().empty());
}

TEST(census, counts_those_that_are_held_and_paused_in_either_order) {
  census uut;
  std::array<standing, 2> all;
  for (auto& x : all)
    uut.add(x);
  uut.move(all[0], trial_status::paused);
  EXPECT_TRUE(uut.set_hold(all[0], hold::held));
  EXPECT_TRUE(uut.set_hold(all[1], hold::held));
  EXPECT_FALSE(uut.set_hold(all[1], hold::held));
  uut.move(all[1], trial_status::paused);
  EXPECT_EQ(uut.held_paused(), 2u);

  EXPECT_TRUE(uut.set_hold(all[0], hold::wakes));
  uut.move(all[1], trial_status::running);
  EXPECT_EQ(uut.held(), 1u);
  EXPECT_EQ(uut.held_paused(), 0u);
}

/// Changes one of the standings, and the census, at random.
void change(census& uut, trial_id id, standing& x, rng& draw) {
  switch (draw.below(8)) {
    case 0:
      return uut.queue(id, x);
    case 1:
      return uut.leave_queue(id, x);
    case 2:
      return uut.await_lease(x);
    case 3:
      return uut.stop_waiting(x);
    case 4:
      uut.set_hold(x, static_cast<hold>(draw.below(3)));
      return;
    case 5:
      return uut.ask_for(id, x);
    case 6:
      return uut.forget_request(id, x);
    default:
      return uut.move(x, static_cast<trial_status>(draw.below(trial_status_count)));
  }
}

/// Counts anew.
template <class Predicate>
std::uint64_t number(const std::array<standing, 5>& all, Predicate is) {
  return static_cast<std::uint64_t>(std::count_if(all.begin(), all.end(), is));
}

TEST(census, agrees_with_the_standings_whatever_happens) {
  rng draw{1, "census", 0};
  census uut;
  std::array<standing, 5> all;
  for (auto& x : all)
    uut.add(x);
  for (int i = 0; i < 2000; ++i) {
    const auto which = draw.below(all.size());
    change(uut, trial_id{which}, all[which], draw);
    using s = standing;
    ASSERT_EQ(uut.queued(), number(all, [](const s& x) { return x.is_queued(); }));
    ASSERT_EQ(uut.awaiting_lease(), number(all, [](const s& x) { return x.awaits_lease(); }));
    ASSERT_EQ(uut.held(), number(all, [](const s& x) { return x.is_held(); }));
    ASSERT_EQ(uut.held_paused(), number(all, [](const s& x) {
                return x.is_held() && x.status() == trial_status::paused;
              }));
    ASSERT_EQ(uut.asked_for(), number(all, [](const s& x) { return x.is_asked_for(); }));
    ASSERT_EQ(uut.asked_waiting().size(),
              number(all, [](const s& x) { return x.is_asked_for() && x.is_queued(); }));
    ASSERT_EQ(uut.running(),
              number(all, [](const s& x) { return x.status() == trial_status::running; }));
  }
}

} // namespace
} // namespace tune
