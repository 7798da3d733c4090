// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/allocation_order.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

resources cpus(double x) {
  return {amount::of(x), {}, 0, {}};
}

allocation_order::shape one_of(double cpu) {
  return {{{cpus(cpu)}}, {}};
}

owner_standing standing(std::string name, std::string user, std::int32_t priority = 0,
                        double share = 1) {
  return {std::move(name), std::move(user), priority, share, true};
}

struct allocation_order_test : testing::Test {
  allocation_order uut;
  std::uint64_t tokens = 0;
  std::uint64_t leases = 0;

  allocation_order_test() { uut.set_total(cpus(8)); }

  void limit(allocation_limits what) {
    uut = allocation_order{std::move(what)};
    uut.set_total(cpus(8));
  }
  void ask(std::uint64_t owner, int times, double cpu = 1) {
    for (auto i = 0; i < times; ++i)
      uut.add(++tokens, owner, one_of(cpu));
  }
  /// The owners of the next grants.
  std::vector<std::uint64_t> grants(int times) {
    std::vector<std::uint64_t> result;
    for (auto i = 0; i < times; ++i) {
      auto next = uut.next();
      if (!next)
        break;
      result.push_back(next->owner);
      uut.grant(*next, {++leases});
    }
    return result;
  }
};

TEST_F(allocation_order_test, goes_by_arrival_among_equals) {
  ask(1, 2);
  ask(2, 2);

  EXPECT_THAT(grants(9), ElementsAre(1, 2, 1, 2));
}

TEST_F(allocation_order_test, serves_a_higher_priority_first) {
  uut.enter(1, standing("low", "a"));
  uut.enter(2, standing("high", "a", 5));
  ask(1, 2);
  ask(2, 2);

  EXPECT_THAT(grants(9), ElementsAre(2, 2, 1, 1));
}

TEST_F(allocation_order_test, shares_between_users_first_and_then_between_their_experiments) {
  uut.enter(1, standing("x", "alice"));
  uut.enter(2, standing("y", "alice"));
  uut.enter(3, standing("z", "bob"));
  ask(1, 4);
  ask(2, 4);
  ask(3, 4);

  EXPECT_THAT(grants(8), ElementsAre(1, 3, 2, 3, 1, 3, 2, 3));
}

TEST_F(allocation_order_test, weighs_the_experiments_of_a_user) {
  uut.enter(1, standing("x", "alice", 0, 1));
  uut.enter(2, standing("y", "alice", 0, 3));
  ask(1, 8);
  ask(2, 8);

  const auto all = grants(8);

  EXPECT_EQ(std::count(all.begin(), all.end(), 2u), 6);
}

TEST_F(allocation_order_test, reckons_with_what_is_held_and_not_with_how_many_hold_it) {
  uut.enter(1, standing("large", "alice"));
  uut.enter(2, standing("small", "bob"));
  ask(1, 2, 4);
  ask(2, 5, 1);

  EXPECT_THAT(grants(6), ElementsAre(1, 2, 2, 2, 2, 1));
}

TEST_F(allocation_order_test, keeps_to_quotas) {
  allocation_limits limits;
  limits.quotas["alice"].cpu = amount::of(2);
  limits.other_quota = user_quota{{}, {}, {}, 1};
  limit(limits);
  uut.enter(1, standing("x", "alice"));
  uut.enter(2, standing("y", "alice"));
  uut.enter(3, standing("z", "bob"));
  ask(1, 4);
  ask(2, 4);
  ask(3, 4);

  EXPECT_THAT(grants(9), ElementsAre(1, 3, 2));

  EXPECT_THAT(uut.view_of(1).why, HasSubstr("quota of alice, 2 CPU"));
  EXPECT_THAT(uut.view_of(3).why, HasSubstr("2 of 1 trials"));
  EXPECT_THAT(uut.beyond_quota(1, {{cpus(3)}}), HasSubstr("never allows 3 CPU"));
  uut.free({2});
  uut.wake();
  EXPECT_THAT(grants(9), ElementsAre(3));
}

TEST_F(allocation_order_test, serves_so_many_experiments_at_once) {
  allocation_limits limits;
  limits.max_experiments = 1;
  limit(limits);
  for (std::uint64_t owner = 1; owner <= 4; ++owner)
    uut.enter(owner, standing("x" + std::to_string(owner), "a", owner == 4 ? 7 : 0));
  for (std::uint64_t owner = 1; owner <= 4; ++owner)
    ask(owner, 1);

  EXPECT_THAT(grants(9), ElementsAre(1));
  EXPECT_EQ(uut.view_of(1).place, 0u);
  EXPECT_EQ(uut.view_of(4).place, 1u);
  EXPECT_EQ(uut.view_of(2).place, 2u);
  EXPECT_EQ(uut.view_of(3).place, 3u);
  EXPECT_THAT(uut.view_of(3).why, HasSubstr("queued at place 3"));
  uut.leave(1);

  EXPECT_THAT(grants(9), ElementsAre(4));
  EXPECT_EQ(uut.view_of(2).place, 1u);
}

TEST_F(allocation_order_test, gives_the_places_that_are_recorded_in_whatever_order_they_come) {
  allocation_limits limits;
  limits.max_experiments = 1;
  limit(limits);
  uut.close_queue();
  // Number 2 was served when the head died, though 5 has a higher priority.
  uut.enter(1, standing("third", "a"), {4, false});
  uut.enter(2, standing("urgent", "a", 7), {5, false});
  uut.enter(3, standing("second", "a"), {3, false});
  uut.enter(4, standing("first", "a"), {2, true});
  for (std::uint64_t owner = 1; owner <= 4; ++owner)
    ask(owner, 1);
  EXPECT_THAT(grants(9), ElementsAre());

  uut.open_queue();

  EXPECT_THAT(grants(9), ElementsAre(4));
  EXPECT_EQ(uut.view_of(2).place, 1u);
  EXPECT_EQ(uut.view_of(3).place, 2u);
  EXPECT_EQ(uut.view_of(1).place, 3u);
  // What is new comes behind them, and one that comes back late has its own place.
  uut.enter(5, standing("new", "a"), {6, false});
  uut.enter(6, standing("late", "a"), {1, false});
  EXPECT_EQ(uut.view_of(6).place, 2u);
  EXPECT_EQ(uut.view_of(5).place, 5u);
}

TEST_F(allocation_order_test, counts_what_ran_before_as_served) {
  allocation_limits limits;
  limits.max_experiments = 1;
  limit(limits);
  uut.close_queue();
  uut.enter(1, standing("urgent", "a", 7), {1, false});
  uut.enter(2, standing("ran", "a"), {2, false});
  ask(1, 1);
  ask(2, 1);
  uut.note_ran_before(2);

  uut.open_queue();

  EXPECT_THAT(grants(9), ElementsAre(2));
  EXPECT_EQ(uut.view_of(1).place, 1u);
  // Its node is back with what it runs, whoever else is served.
  uut.adopt({77}, 1, cpus(1));
  EXPECT_EQ(uut.view_of(1).place, 0u);
}

TEST_F(allocation_order_test, tells_once_that_somebody_is_served_who_has_something_to_run) {
  allocation_limits limits;
  limits.max_experiments = 1;
  limit(limits);
  uut.enter(1, standing("x", "a"));
  uut.enter(2, standing("y", "a"));
  EXPECT_THAT(uut.take_newly_served(), ElementsAre());
  ask(1, 2);
  ask(2, 1);

  EXPECT_THAT(uut.take_newly_served(), ElementsAre(1));
  EXPECT_THAT(grants(9), ElementsAre(1, 1));
  EXPECT_THAT(uut.take_newly_served(), ElementsAre());
  uut.leave(1);
  EXPECT_THAT(uut.take_newly_served(), ElementsAre(2));
  EXPECT_THAT(uut.take_newly_served(), ElementsAre());
}

TEST_F(allocation_order_test, tells_who_waits_again_after_a_place_was_served) {
  allocation_limits limits;
  limits.max_experiments = 1;
  limit(limits);
  uut.enter(1, standing("x", "a"));
  uut.enter(2, standing("y", "a"));
  const auto asked = ++tokens;
  uut.add(asked, 1, one_of(4));
  EXPECT_THAT(uut.take_newly_served(), ElementsAre(1));
  EXPECT_THAT(uut.take_newly_waiting(), ElementsAre());

  // The only node that could run it is gone.
  const auto wanted = one_of(4);
  uut.set_unmet({{1, &wanted}});
  ask(2, 1);
  EXPECT_TRUE(uut.view_of(1).stands_aside);
  EXPECT_THAT(uut.take_newly_waiting(), ElementsAre(1));
  EXPECT_THAT(uut.take_newly_served(), ElementsAre(2));

  // It is back, and the place is taken.
  uut.set_unmet({});
  EXPECT_EQ(uut.view_of(1).place, 1u);
  EXPECT_THAT(uut.take_newly_waiting(), ElementsAre(1));
  EXPECT_THAT(uut.take_newly_waiting(), ElementsAre());

  uut.leave(2);
  EXPECT_THAT(uut.take_newly_served(), ElementsAre(1)) << "once more";
  EXPECT_THAT(uut.take_newly_waiting(), ElementsAre());
}

TEST_F(allocation_order_test, says_what_a_quota_never_allows_whatever_is_held) {
  allocation_limits limits;
  limits.quotas["alice"].cpu = amount::of(2);
  limit(limits);
  uut.enter(1, standing("x", "alice"));
  ask(1, 1, 3);

  EXPECT_EQ(uut.view_of(1).why, "trials wait, as the quota of alice, 2 CPU, never allows 3 CPU");
}

TEST_F(allocation_order_test, what_no_node_can_run_keeps_no_place_from_others) {
  allocation_limits limits;
  limits.max_experiments = 1;
  limit(limits);
  for (std::uint64_t owner = 1; owner <= 3; ++owner)
    uut.enter(owner, standing("x" + std::to_string(owner), "a"));
  uut.add(++tokens, 1, one_of(99), true);
  ask(2, 1);
  ask(3, 1);

  EXPECT_THAT(grants(9), ElementsAre(2));
  EXPECT_TRUE(uut.view_of(1).stands_aside);
  EXPECT_EQ(uut.view_of(1).place, 0u);
  EXPECT_THAT(uut.view_of(1).why, HasSubstr("no node can run its trials now: it takes no place"));
  EXPECT_EQ(uut.view_of(3).place, 1u);

  uut.set_unmet({});
  EXPECT_EQ(uut.view_of(1).place, 1u) << "it was there before the third";
  EXPECT_EQ(uut.view_of(3).place, 2u);
  EXPECT_FALSE(uut.view_of(1).stands_aside);
  uut.leave(2);
  uut.free({1});
  EXPECT_THAT(grants(9), ElementsAre(1));
}

TEST_F(allocation_order_test, what_runs_keeps_its_place_whatever_else_it_waits_for) {
  allocation_limits limits;
  limits.max_experiments = 1;
  limit(limits);
  uut.enter(1, standing("x", "a"));
  uut.enter(2, standing("y", "a"));
  ask(1, 1);
  ask(2, 1);
  EXPECT_THAT(grants(9), ElementsAre(1));
  uut.add(++tokens, 1, one_of(99), true);

  EXPECT_FALSE(uut.view_of(1).stands_aside);
  uut.free({1});

  EXPECT_TRUE(uut.view_of(1).stands_aside);
  EXPECT_THAT(grants(9), ElementsAre(2));
}

TEST_F(allocation_order_test, what_comes_back_running_is_served_though_it_stood_aside) {
  allocation_limits limits;
  limits.max_experiments = 1;
  limit(limits);
  uut.close_queue();
  uut.enter(1, standing("x", "a"), {1, true});
  uut.enter(2, standing("y", "a"), {2, false});
  uut.add(++tokens, 1, one_of(99), true);
  ask(2, 1);
  EXPECT_TRUE(uut.view_of(1).stands_aside);
  uut.open_queue();
  EXPECT_THAT(grants(9), ElementsAre(2));

  uut.adopt({77}, 1, cpus(1));

  EXPECT_FALSE(uut.view_of(1).stands_aside);
  EXPECT_EQ(uut.view_of(1).place, 0u);
  EXPECT_EQ(uut.places_left(), 0u);
  uut.enter(3, standing("z", "a"), {3, false});
  EXPECT_EQ(uut.view_of(3).place, 1u);
  uut.leave(2);
  EXPECT_EQ(uut.view_of(3).place, 1u) << "two were served, and one still is";
  uut.leave(1);
  EXPECT_EQ(uut.view_of(3).place, 0u);
}

TEST_F(allocation_order_test, tries_what_did_not_fit_again_once_something_is_free) {
  ask(1, 1);
  const auto tried = uut.next();
  ASSERT_TRUE(tried);
  uut.set_aside(*tried);

  EXPECT_FALSE(uut.next());
  uut.wake();

  EXPECT_THAT(grants(9), ElementsAre(1));
}

TEST_F(allocation_order_test, serves_nobody_below_the_priority_for_which_room_is_made) {
  uut.enter(1, standing("low", "a"));
  uut.enter(2, standing("high", "b", 3));
  ask(1, 1);
  ask(2, 1);
  uut.serve_only_from(3);

  EXPECT_THAT(grants(9), ElementsAre(2));
  EXPECT_THAT(uut.view_of(1).why, HasSubstr("room is made for priority 3"));
  uut.serve_only_from(std::nullopt);
  EXPECT_THAT(grants(9), ElementsAre(1));
}

TEST_F(allocation_order_test, says_who_holds_what_a_trial_waits_for) {
  uut.enter(1, standing("x", "alice"));
  uut.enter(2, standing("y", "bob"));
  uut.enter(3, standing("urgent", "carol", 9));
  ask(1, 6);
  EXPECT_THAT(grants(6), ElementsAre(1, 1, 1, 1, 1, 1));
  ask(2, 1, 4);

  EXPECT_EQ(uut.view_of(2).why, "trials wait for their share: alice holds 6 of 8 CPU");
  ask(3, 1, 4);
  EXPECT_EQ(uut.view_of(2).why, "trials wait behind urgent, of priority 9");
  EXPECT_EQ(uut.view_of(1).held.leases, 6u);
  EXPECT_EQ(uut.view_of(1).why, "");
}

TEST_F(allocation_order_test, says_whose_priority_a_trial_waits_for) {
  uut.enter(1, standing("usual", "alice"));
  uut.enter(2, standing("urgent", "bob", 9));
  uut.enter(3, standing("low", "alice", -2));
  ask(2, 6);
  EXPECT_THAT(grants(6), ElementsAre(2, 2, 2, 2, 2, 2));
  ask(1, 1, 4);
  ask(3, 1, 4);

  // It waits for nothing more, and holds what it has.
  EXPECT_EQ(uut.view_of(1).why,
            "trials wait for room: urgent, of higher priority 9, holds 6 of 8 CPU");
  EXPECT_EQ(uut.view_of(3).why, "trials wait behind usual, of priority 0");
}

TEST_F(allocation_order_test, does_not_wait_behind_those_whom_their_quota_holds_back) {
  allocation_limits limits;
  limits.quotas["alice"].cpu = amount::of(3);
  limit(limits);
  uut.enter(1, standing("held back", "alice", 1));
  uut.enter(2, standing("low", "bob", -10));
  ask(1, 5);
  EXPECT_THAT(grants(3), ElementsAre(1, 1, 1));
  ask(2, 1, 6);

  EXPECT_EQ(uut.view_of(2).why,
            "trials wait for room: held back, of higher priority 1, holds 3 of 8 CPU");
}

TEST_F(allocation_order_test, says_whose_lower_priority_holds_what_a_trial_waits_for) {
  uut.enter(1, standing("patient", "alice"));
  uut.enter(2, standing("urgent", "bob", 9));
  ask(1, 6);
  EXPECT_THAT(grants(6), ElementsAre(1, 1, 1, 1, 1, 1));
  ask(2, 1, 4);

  EXPECT_EQ(uut.view_of(2).why, "trials wait for room: patient, of lower priority 0, holds 6 of 8"
                                " CPU until its trials pause or end");
}

TEST_F(allocation_order_test, says_that_shares_decide_where_most_is_held_at_the_same_priority) {
  uut.enter(1, standing("x", "alice"));
  uut.enter(2, standing("y", "bob"));
  uut.enter(3, standing("urgent", "carol", 9));
  ask(3, 1);
  EXPECT_THAT(grants(1), ElementsAre(3));
  ask(1, 5);
  EXPECT_THAT(grants(5), ElementsAre(1, 1, 1, 1, 1));
  ask(2, 1, 4);

  EXPECT_EQ(uut.view_of(2).why, "trials wait for their share: alice holds 5 of 8 CPU");
}

TEST_F(allocation_order_test, forgets_who_left_once_nothing_of_it_is_held) {
  uut.enter(1, standing("x", "alice"));
  uut.enter(2, standing("y", "bob"));
  ask(1, 1);
  ask(2, 1);
  grants(2);
  uut.leave(1);
  EXPECT_EQ(uut.standing_of(1).user, "alice");
  uut.free({1});

  EXPECT_EQ(uut.standing_of(1).user, "");
  EXPECT_EQ(uut.view_of(2).of_user.leases, 1u);
}

} // namespace
} // namespace tune
