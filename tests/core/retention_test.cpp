// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/retention.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

kept_checkpoint one(std::uint64_t id, std::optional<double> score = {}, std::uint64_t bytes = 10,
                    bool pinned = false) {
  return {{{id}, true, score}, bytes, pinned};
}

std::vector<std::uint64_t> gone(const retention_policy& policy, std::vector<kept_checkpoint> from) {
  std::vector<std::uint64_t> result;
  for (auto id : superfluous(policy, std::move(from)))
    result.push_back(id.number);
  return result;
}

TEST(retention, keeps_all_without_a_limit) {
  EXPECT_THAT(gone({}, {one(1), one(2), one(3)}), IsEmpty());
}

TEST(retention, keeps_the_newest_where_nothing_ranks_them) {
  retention_policy policy;
  policy.keep = 2;

  EXPECT_THAT(gone(policy, {one(1), one(4), one(2), one(3)}), ElementsAre(2, 1));
}

TEST(retention, keeps_the_best_and_of_equal_ones_the_newer) {
  retention_policy policy;
  policy.keep = 2;

  EXPECT_THAT(gone(policy, {one(1, 0.9), one(2, 0.5), one(3, 0.9), one(4, 0.9)}),
              ElementsAre(1, 2));
}

TEST(retention, ranks_what_has_no_score_below_what_has_one) {
  retention_policy policy;
  policy.keep = 1;

  EXPECT_THAT(gone(policy, {one(1, -1e300), one(2)}), ElementsAre(2));
}

TEST(retention, ranks_what_cannot_be_restored_below_all) {
  retention_policy policy;
  policy.keep = 1;
  auto bad = one(2, 5.0);
  bad.worth.good = false;

  EXPECT_THAT(gone(policy, {one(1), bad}), ElementsAre(2));
}

TEST(retention, never_gives_up_what_is_needed) {
  retention_policy policy;
  policy.keep = 1;
  policy.trial_bytes = 1;

  EXPECT_THAT(gone(policy, {one(1, 0.1, 10, true), one(2, 0.9, 10, true), one(3, 0.5)}),
              ElementsAre(3));
}

TEST(retention, counts_what_is_needed_among_those_it_keeps) {
  retention_policy policy;
  policy.keep = 2;

  // Kept are the best two and, on top of them, the newest one.
  EXPECT_THAT(gone(policy, {one(1, 0.9), one(2, 0.8), one(3, 0.1, 10, true)}), IsEmpty());
  EXPECT_THAT(gone(policy, {one(1, 0.9), one(2, 0.8), one(3, 0.7), one(4, 0.1, 10, true)}),
              ElementsAre(3));
}

TEST(retention, keeps_as_many_of_the_best_as_there_is_room_for) {
  retention_policy policy;
  policy.trial_bytes = 30;

  EXPECT_THAT(gone(policy, {one(1, 0.9, 10), one(2, 0.8, 15), one(3, 0.7, 5), one(4, 0.6, 1)}),
              ElementsAre(4));
  // A needed checkpoint takes its room first.
  EXPECT_THAT(gone(policy, {one(1, 0.9, 10), one(2, 0.8, 15), one(3, 0.1, 25, true)}),
              ElementsAre(1, 2));
}

} // namespace
} // namespace tune
