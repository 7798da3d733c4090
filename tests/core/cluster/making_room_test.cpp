// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/making_room.hpp"

#include "tune/core/cluster/lease_book.hpp"
#include "tune/core/resource/demands.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

resources cpus(double x) {
  return {amount::of(x), {}, 0, {}};
}

/// Experiment 1 holds all of two nodes with two CPUs each; 2 has a higher priority.
struct making_room : testing::Test {
  lease_book uut;
  std::vector<lease_id> held;

  making_room() {
    uut.set_node("a", cpus(2), {});
    uut.set_node("b", cpus(2), {});
    uut.stand(1, {"low", "alice", 0, 1, true});
    uut.stand(2, {"high", "bob", 5, 1, true});
    for (std::uint64_t trial = 0; trial < 4; ++trial)
      ask(1, trial, 1);
    hold_all();
  }

  void ask(std::uint64_t owner, std::uint64_t trial, double cpu) {
    uut.enter({owner, trial_id{trial}, {{cpus(cpu)}}, true});
  }
  std::vector<lease_id> chosen() {
    std::vector<lease_id> result;
    for (const auto& x : uut.make_room()) {
      EXPECT_EQ(x.for_whom, 2u);
      result.push_back(x.which);
    }
    return result;
  }
  void hold_all() {
    for (const auto& x : uut.grant_what_fits()) {
      held.push_back(x.what.id);
      uut.launched(x.what.id, {1, x.what.id.number});
    }
  }
};

TEST_F(making_room, is_not_hoped_for_on_nodes_that_may_not_run_what_waits) {
  uut.set_node("c", cpus(1), {given_label("zone=c")});
  for (std::uint64_t trial = 9; trial < 11; ++trial)
    uut.enter({2, trial_id{trial}, {{cpus(1)}}, true, {require_word("zone == c")}});
  hold_all();

  EXPECT_EQ(uut.view_of(2).held.leases, 1u);
  EXPECT_EQ(uut.view_of(2).why,
            "trials wait for room on the nodes that may run them: it holds 1 of 1 CPU itself");
  ask(2, 12, 1);
  EXPECT_EQ(uut.view_of(2).waiting, 2u);
}

TEST_F(making_room, ends_the_newest_lease_of_a_lower_priority) {
  ask(2, 9, 1);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());

  EXPECT_THAT(chosen(), ElementsAre(held.back()));
  EXPECT_THAT(chosen(), IsEmpty()) << "it is asked once";
  uut.over(held.back());

  const auto granted = uut.grant_what_fits();
  ASSERT_EQ(granted.size(), 1u);
  EXPECT_EQ(granted.front().owner, 2u);
}

TEST_F(making_room, counts_once_a_trial_has_paused_for_it) {
  ask(2, 9, 1);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());
  EXPECT_THAT(chosen(), ElementsAre(held.back()));
  EXPECT_EQ(uut.view_of(1).made_room, 0u);
  EXPECT_EQ(uut.view_of(1).made_room_for, "");

  uut.note_room_made(1, "high of bob, priority 5");
  uut.over(held.back());

  EXPECT_EQ(uut.view_of(1).made_room, 1u);
  EXPECT_EQ(uut.view_of(1).made_room_for, "high of bob, priority 5");
}

TEST_F(making_room, ends_what_has_to_end_on_one_node_and_nothing_elsewhere) {
  ask(2, 9, 2);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());

  const auto ending = chosen();

  ASSERT_EQ(ending.size(), 2u);
  EXPECT_EQ(uut.find(ending[0])->node, uut.find(ending[1])->node);
}

TEST_F(making_room, keeps_what_becomes_free_for_whom_it_is_made) {
  ask(2, 9, 2);
  ask(1, 8, 1);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());
  const auto ending = chosen();
  ASSERT_EQ(ending.size(), 2u);

  uut.over(ending[0]);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty()) << "one CPU is free, and two are needed";
  uut.over(ending[1]);

  const auto granted = uut.grant_what_fits();
  ASSERT_EQ(granted.size(), 1u);
  EXPECT_EQ(granted.front().owner, 2u);
}

TEST_F(making_room, spares_equal_priorities_and_those_that_cannot_save) {
  uut.stand(3, {"equal", "carol", 0, 1, true});
  ask(3, 9, 1);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());
  EXPECT_THAT(chosen(), IsEmpty());

  uut.stand(1, {"low", "alice", 0, 1, false});
  ask(2, 9, 1);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());
  EXPECT_THAT(chosen(), IsEmpty());
}

TEST_F(making_room, is_not_waited_for_once_it_turns_out_that_trials_cannot_save) {
  uut.stand(3, {"other", "carol", 1, 1, false});
  uut.over(held.front());
  ask(2, 9, 2);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());
  ASSERT_FALSE(chosen().empty());
  ask(3, 8, 1);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty()) << "room is made for a higher priority";

  uut.note_saving(1, false);

  const auto granted = uut.grant_what_fits();
  ASSERT_EQ(granted.size(), 1u);
  EXPECT_EQ(granted.front().owner, 3u);
  EXPECT_THAT(chosen(), IsEmpty()) << "no other trial of it is asked";
  EXPECT_EQ(uut.view_of(1).made_room, 0u);
}

TEST_F(making_room, is_asked_again_once_a_trial_has_handed_a_checkpoint_over) {
  uut.note_saving(1, false);
  ask(2, 9, 1);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());
  EXPECT_THAT(chosen(), IsEmpty());

  uut.note_saving(1, true);

  EXPECT_THAT(chosen(), ElementsAre(held.back()));
}

TEST_F(making_room, asks_others_in_place_of_those_that_cannot_save) {
  uut.set_node("c", cpus(1), {});
  uut.stand(3, {"able", "carol", 1, 1, true});
  ask(3, 7, 1);
  hold_all();
  ask(2, 9, 1);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());
  EXPECT_THAT(chosen(), ElementsAre(held[3])) << "the lowest priority first";

  uut.note_saving(1, false);

  EXPECT_THAT(chosen(), ElementsAre(held.back()));
}

TEST_F(making_room, ends_nothing_for_what_would_not_fit_even_then) {
  ask(2, 9, 3);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());

  EXPECT_THAT(chosen(), IsEmpty());
}

} // namespace
} // namespace tune
