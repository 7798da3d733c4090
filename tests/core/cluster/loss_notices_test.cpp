// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/loss_notices.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

TEST(loss_notices, remembers_once_who_was_told_of_a_loss) {
  loss_notices uut;

  uut.lost("a", {1, 3});
  uut.lost("b", {});

  EXPECT_THAT(uut.back("a"), Optional(ElementsAre(1u, 3u)));
  EXPECT_EQ(uut.back("a"), std::nullopt);
  EXPECT_THAT(uut.back("b"), Optional(ElementsAre()));
  EXPECT_EQ(uut.back("c"), std::nullopt);
}

TEST(loss_notices, takes_the_last_of_several_losses) {
  loss_notices uut;

  uut.lost("a", {1});
  uut.lost("a", {2});

  EXPECT_THAT(uut.back("a"), Optional(ElementsAre(2u)));
}

TEST(loss_notices, forgets_some_where_there_are_many) {
  loss_notices uut{2};

  uut.lost("a", {1});
  uut.lost("b", {1});
  uut.lost("c", {1});

  EXPECT_TRUE(uut.back("c"));
  EXPECT_EQ(uut.back("a").has_value() + uut.back("b").has_value(), 1);
}

TEST(loss_notices, says_how_long_it_was_silent_and_what_becomes_of_its_trials) {
  const auto why = std::string{"no heartbeat came from it for 10 s"};

  EXPECT_EQ(loss_text("w1", why, 0), "worker w1 is lost: " + why + "; no trial ran there");
  EXPECT_THAT(loss_text("w1", why, 1), HasSubstr("the trial that ran there is tried again"));
  EXPECT_THAT(
      loss_text("w1", why, 4),
      HasSubstr("the 4 trials that ran there are tried again, from the newest checkpoint if"));
  EXPECT_THAT(loss_text("w1", why, 4), HasSubstr("[failure] max_node_losses"));
  EXPECT_THAT(return_text("w1"), HasSubstr("worker w1 was lost and is back"));
}

TEST(loss_notices, says_that_the_loss_of_a_worker_that_was_leaving_costs_no_failure) {
  const auto head = std::string{"worker w1, which was leaving, is lost: killed; "};

  EXPECT_EQ(loss_text("w1", "killed", 0, true), head + "no trial ran there");
  EXPECT_EQ(loss_text("w1", "killed", 1, true),
            head
                + "the trial that ran there is tried again, from the newest checkpoint if there "
                  "is one, and no failure is counted");
  EXPECT_EQ(loss_text("w1", "killed", 2, true),
            head
                + "the 2 trials that ran there are tried again, from the newest checkpoint if "
                  "there is one, and no failure is counted");
}

} // namespace
} // namespace tune
