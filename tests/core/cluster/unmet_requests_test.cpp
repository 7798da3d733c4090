// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/unmet_requests.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(unmet_requests, are_told_once_to_their_owner) {
  unmet_requests uut;

  auto told = uut.update({{7, "no node can hold 2 GPU"}});

  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].owner, 7u);
  EXPECT_THAT(told[0].text, HasSubstr("no node can hold 2 GPU"));
  EXPECT_THAT(told[0].text, HasSubstr("when a worker is there"));
  EXPECT_TRUE(uut.any());
  EXPECT_THAT(uut.update({{7, "no node can hold 2 GPU"}}), IsEmpty());
}

TEST(unmet_requests, are_told_again_where_the_reason_changes) {
  unmet_requests uut;
  static_cast<void>(uut.update({{7, "no nodes"}, {8, "no nodes"}}));

  auto told = uut.update({{7, "one node, too small"}, {7, "and no GPU"}, {8, "no nodes"}});

  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].owner, 7u);
  EXPECT_THAT(told[0].text, HasSubstr("one node, too small; and no GPU"));
}

TEST(unmet_requests, promise_no_worker_for_what_a_quota_never_allows) {
  unmet_requests uut;
  const std::string quota = "the quota of alice, 2 CPU, never allows 3 CPU";

  EXPECT_EQ(uut.update({{7, quota}})[0].text, "trials wait, as " + quota);
  EXPECT_EQ(uut.update({{7, "no node can hold 2 GPU"}, {7, quota}})[0].text,
            "trials wait, as " + quota
                + "; others wait, as no node can hold 2 GPU; they begin when a worker is there that"
                  " can run them");
}

TEST(unmet_requests, are_over_when_all_can_be_granted) {
  unmet_requests uut;
  static_cast<void>(uut.update({{7, "no nodes"}, {8, "no nodes"}}));

  auto told = uut.update({{8, "no nodes"}});

  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].owner, 7u);
  EXPECT_EQ(told[0].text, "");
}

TEST(unmet_requests, are_told_to_nobody_who_is_gone) {
  unmet_requests uut;
  static_cast<void>(uut.update({{7, "no nodes"}}));
  uut.forget(7);

  EXPECT_FALSE(uut.any());
  EXPECT_THAT(uut.update({}), IsEmpty());
}

} // namespace
} // namespace tune
