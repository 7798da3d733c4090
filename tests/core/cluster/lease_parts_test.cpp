// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/lease_parts.hpp"

#include "tune/core/rng.hpp"

#include <gmock/gmock.h>

#include <set>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr lease_id whole{7};

lease_parts with_ranks(std::uint32_t further) {
  lease_parts result;
  result.granted(whole);
  for (std::uint32_t rank = 1; rank <= further; ++rank)
    EXPECT_EQ(result.begin(whole, rank), lease_id{7 + rank});
  return result;
}

TEST(lease_parts, frees_a_lease_with_its_only_allocation) {
  auto uut = with_ranks(0);

  EXPECT_EQ(uut.over(whole), whole);
  EXPECT_EQ(uut.size(), 0u);
}

TEST(lease_parts, frees_a_lease_when_the_last_of_its_allocations_is_over) {
  auto uut = with_ranks(2);

  EXPECT_EQ(uut.over(lease_id{8}), std::nullopt);
  EXPECT_EQ(uut.over(whole), std::nullopt);
  EXPECT_EQ(uut.whole_of(lease_id{9}), whole);
  EXPECT_EQ(uut.over(lease_id{9}), whole);
}

TEST(lease_parts, begins_nothing_once_the_first_allocation_is_over) {
  auto uut = with_ranks(1);
  EXPECT_EQ(uut.over(whole), std::nullopt);

  EXPECT_EQ(uut.begin(whole, 2), std::nullopt);
}

TEST(lease_parts, begins_each_rank_once) {
  auto uut = with_ranks(1);

  EXPECT_EQ(uut.begin(whole, 1), std::nullopt);
}

TEST(lease_parts, revokes_the_others_where_one_is_lost_and_begins_no_more) {
  auto uut = with_ranks(2);

  auto left = uut.lose(lease_id{8});

  EXPECT_THAT(left.to_revoke, ElementsAre(whole, lease_id{9}));
  EXPECT_EQ(left.freed, std::nullopt);
  EXPECT_EQ(uut.begin(whole, 3), std::nullopt);
}

TEST(lease_parts, frees_a_lease_whose_last_allocation_is_lost) {
  auto uut = with_ranks(1);
  EXPECT_EQ(uut.over(lease_id{8}), std::nullopt);

  auto left = uut.lose(whole);

  EXPECT_THAT(left.to_revoke, IsEmpty());
  EXPECT_EQ(left.freed, whole);
}

TEST(lease_parts, knows_nothing_of_leases_that_are_free) {
  lease_parts uut;

  EXPECT_EQ(uut.over(whole), std::nullopt);
  EXPECT_EQ(uut.lose(whole).freed, std::nullopt);
  EXPECT_EQ(uut.begin(whole, 1), std::nullopt);
}

TEST(lease_parts, frees_each_lease_once_whatever_comes_in_whatever_order) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    rng dice{seed, "parts", 0};
    lease_parts uut;
    uut.granted(whole);
    std::set<lease_id> open{whole};
    int freed = 0;
    for (int i = 0; i < 40; ++i) {
      const lease_id which{7 + dice.below(5)};
      std::optional<lease_id> free;
      switch (dice.below(3)) {
        case 0:
          if (which != whole && uut.begin(whole, static_cast<std::uint32_t>(which.number - 7))) {
            EXPECT_TRUE(open.insert(which).second) << seed;
          }
          continue;
        case 1:
          free = uut.over(which);
          break;
        default:
          free = uut.lose(which).freed;
      }
      const auto was_open = open.erase(which) == 1;
      EXPECT_EQ(free.has_value(), was_open && open.empty()) << seed;
      freed += free ? 1 : 0;
    }
    EXPECT_LE(freed, 1) << seed;
    EXPECT_EQ(uut.size(), open.empty() ? 0u : 1u) << seed;
  }
}

} // namespace
} // namespace tune
