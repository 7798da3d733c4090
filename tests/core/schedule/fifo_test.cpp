// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/fifo/fifo.hpp"

#include "support/scheduler_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tune {
namespace {

using support::text_of;
using testing::ElementsAre;
using testing::IsEmpty;

class fifo_test : public testing::Test {
protected:
  fifo::fifo_scheduler uut;
  support::scheduler_feed tell{uut};
};

TEST_F(fifo_test, always_goes_on) {
  tell.add(0);

  EXPECT_EQ(text_of(tell.judged(0, 1, -1e9)), "go_on 0");
  EXPECT_EQ(text_of(tell.judged(0, 2, std::nan(""))), "go_on 0");
}

TEST_F(fifo_test, names_trials_in_the_order_they_came_and_each_once) {
  for (auto trial : {2u, 0u, 1u})
    tell.add(trial);

  EXPECT_THAT(tell.choose(2), ElementsAre(2u, 0u));
  EXPECT_THAT(tell.choose(2), ElementsAre(1u));
  EXPECT_THAT(tell.choose(2), IsEmpty());
}

TEST_F(fifo_test, puts_a_retried_trial_at_the_end) {
  for (auto trial : {0u, 1u, 2u})
    tell.add(trial);
  tell.choose(1);
  tell.tell(fact::started{{0}});
  tell.tell(fact::failed{{0}});
  tell.add(0, true);

  EXPECT_THAT(tell.choose(9), ElementsAre(1u, 2u, 0u));
}

TEST_F(fifo_test, gives_a_trial_its_old_place_that_is_to_keep_it) {
  for (auto trial : {0u, 1u, 2u, 3u})
    tell.add(trial);
  tell.choose(3);
  tell.tell(fact::started{{0}});
  tell.tell(fact::started{{1}});
  // As when a head is lost: one trial waited for resources, two ran.
  for (auto trial : {2u, 1u, 0u})
    tell.tell(fact::added{{trial}, nullptr, false});

  EXPECT_THAT(tell.choose(9), ElementsAre(0u, 1u, 2u, 3u));
}

TEST_F(fifo_test, names_paused_trials_after_pending_ones) {
  tell.add(0);
  tell.choose(1);
  tell.tell(fact::started{{0}});
  tell.add(1);
  tell.tell(fact::paused{{0}, {1}});

  EXPECT_THAT(tell.choose(9), ElementsAre(1u, 0u));
}

TEST_F(fifo_test, gives_an_unpaused_trial_its_old_place) {
  for (auto trial : {0u, 1u})
    tell.add(trial);
  tell.choose(1);
  tell.tell(fact::paused{{0}, {1}});
  tell.tell(fact::unpaused{{0}});

  EXPECT_THAT(tell.choose(9), ElementsAre(0u, 1u));
}

TEST_F(fifo_test, does_not_name_again_what_is_on_its_way) {
  tell.add(0);
  tell.tell(fact::paused{{0}, {1}});
  tell.choose(1);
  tell.tell(fact::unpaused{{0}});

  EXPECT_THAT(tell.choose(1), IsEmpty());
}

TEST_F(fifo_test, keeps_a_pending_trial_whose_choice_was_refused_but_not_a_paused_one) {
  tell.add(0);
  tell.add(1);
  tell.tell(fact::paused{{1}, {1}});
  auto both = uut.choose(9, 9);
  tell.tell(fact::chosen{both, both.start});

  EXPECT_THAT(tell.choose(9), ElementsAre(0u));
  tell.tell(fact::unpaused{{1}});
  EXPECT_THAT(tell.choose(9), ElementsAre(1u));
}

TEST_F(fifo_test, forgets_ended_trials) {
  tell.add(0);
  tell.add(1);
  tell.end(0, fact::end_kind::removed);

  EXPECT_THAT(tell.choose(9), ElementsAre(1u));
}

TEST_F(fifo_test, ends_what_is_paused_when_all_stands_still) {
  tell.add(0);
  tell.add(1);
  tell.add(2);
  tell.tell(fact::paused{{2}, {1}});
  tell.tell(fact::paused{{0}, {2}});

  EXPECT_EQ(text_of(uut.on_stall(9)), "stop 0 rule=fifo why=not promoted; "
                                      "stop 2 rule=fifo why=not promoted");
  EXPECT_EQ(uut.on_stall(9).cause, 9u);
}

TEST_F(fifo_test, has_no_answer_to_a_stall_of_pending_trials) {
  tell.add(0);

  EXPECT_THAT(uut.on_stall(9).actions, IsEmpty());
}

} // namespace
} // namespace tune
