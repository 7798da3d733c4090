// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/waiting_requests.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr trial_id first{1};
constexpr trial_id second{2};

TEST(waiting_requests, are_found_by_token_until_they_are_granted) {
  waiting_requests uut;
  const auto token = uut.add({7, first, {}, {"gpu"}});

  const auto granted = uut.take(token);

  EXPECT_EQ(granted.owner, 7u);
  EXPECT_EQ(granted.trial, first);
  EXPECT_THAT(granted.labels, ElementsAre("gpu"));
  EXPECT_THAT(uut.all(), IsEmpty());
  EXPECT_FALSE(uut.remove(7, first));
}

TEST(waiting_requests, are_found_by_owner_and_trial_until_they_are_withdrawn) {
  waiting_requests uut;
  const auto mine = uut.add({7, first, {}, {}});
  const auto others = uut.add({8, first, {}, {}});

  EXPECT_EQ(uut.remove(7, first), mine);

  EXPECT_FALSE(uut.remove(7, first));
  EXPECT_EQ(uut.remove(8, first), others);
}

TEST(waiting_requests, go_with_their_owner) {
  waiting_requests uut;
  const auto before = uut.add({6, second, {}, {}});
  const auto one = uut.add({7, first, {}, {}});
  const auto two = uut.add({7, second, {}, {}});
  const auto after = uut.add({8, first, {}, {}});

  EXPECT_THAT(uut.remove_all(7), ElementsAre(one, two));

  EXPECT_TRUE(uut.all().contains(before) && uut.all().contains(after));
  EXPECT_EQ(uut.all().size(), 2u);
}

TEST(waiting_requests, lose_a_label_that_no_node_bears_any_more) {
  waiting_requests uut;
  const auto one = uut.add({7, first, {}, {"node a", "gpu"}});
  uut.add({7, second, {}, {"gpu"}});

  EXPECT_THAT(uut.drop_label("node a"), ElementsAre(one));

  EXPECT_THAT(uut.all().at(one).labels, ElementsAre("gpu"));
}

} // namespace
} // namespace tune
