// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/rank_group.hpp"

#include "tune/core/rng.hpp"

#include <gmock/gmock.h>

#include <set>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::VariantWith;

constexpr auto kill = halt_mode::kill;
constexpr auto stop = halt_mode::stop;

auto launches(std::uint32_t rank) {
  return VariantWith<rank_cmd::launch>(rank_cmd::launch{rank});
}
auto halts(std::uint32_t rank, halt_mode how) {
  return VariantWith<rank_cmd::halt>(rank_cmd::halt{rank, how});
}
auto over(std::uint32_t as) {
  return VariantWith<rank_cmd::over>(rank_cmd::over{as});
}

rank_group running(std::uint32_t ranks) {
  rank_group result{ranks};
  EXPECT_EQ(result.begun().size(), ranks - 1);
  return result;
}

TEST(rank_group, is_over_with_its_only_rank) {
  rank_group uut;

  EXPECT_THAT(uut.begun(), IsEmpty());
  EXPECT_THAT(uut.ended(0, end_class::user_error), ElementsAre(over(0)));
  EXPECT_TRUE(uut.is_over());
}

TEST(rank_group, launches_the_others_once_rank_0_runs_and_once_only) {
  rank_group uut{3};

  EXPECT_THAT(uut.begun(), ElementsAre(launches(1), launches(2)));
  EXPECT_THAT(uut.begun(), IsEmpty());
}

TEST(rank_group, is_over_as_rank_0_when_all_have_ended_well) {
  auto uut = running(3);

  EXPECT_THAT(uut.ended(2, end_class::finished), IsEmpty());
  EXPECT_THAT(uut.ended(0, end_class::finished), ElementsAre(halts(1, stop)));
  EXPECT_THAT(uut.ended(1, end_class::finished), ElementsAre(over(0)));
}

TEST(rank_group, ends_all_where_a_rank_fails_and_ends_as_that_one) {
  auto uut = running(3);

  EXPECT_THAT(uut.ended(1, end_class::user_error), ElementsAre(halts(0, kill), halts(2, kill)));
  EXPECT_THAT(uut.ended(0, end_class::killed), IsEmpty());
  EXPECT_THAT(uut.ended(2, end_class::out_of_memory), ElementsAre(over(1)));
}

TEST(rank_group, ends_all_where_rank_0_fails) {
  auto uut = running(2);

  EXPECT_THAT(uut.ended(0, end_class::user_error), ElementsAre(halts(1, kill)));
  EXPECT_THAT(uut.ended(1, end_class::killed), ElementsAre(over(0)));
}

TEST(rank_group, takes_the_end_of_rank_0_where_that_came_through_after_all) {
  auto uut = running(2);

  EXPECT_THAT(uut.ended(1, end_class::user_error), ElementsAre(halts(0, kill)));
  EXPECT_THAT(uut.ended(0, end_class::finished), ElementsAre(over(0)));
}

TEST(rank_group, ends_as_the_rank_that_failed_where_rank_0_let_go_for_it) {
  auto uut = running(2);

  EXPECT_THAT(uut.ended(1, end_class::user_error), ElementsAre(halts(0, kill)));
  EXPECT_THAT(uut.ended(0, end_class::stopped), ElementsAre(over(1)));
}

TEST(rank_group, lets_the_others_go_as_they_like_while_rank_0_is_about_to_end) {
  auto uut = running(2);
  uut.let_end();

  EXPECT_THAT(uut.ended(1, end_class::user_error), IsEmpty());
  EXPECT_THAT(uut.ended(0, end_class::stopped), ElementsAre(over(0)));
}

TEST(rank_group, ends_all_where_rank_0_goes_on_without_one_that_failed_meanwhile) {
  auto uut = running(3);
  uut.let_end();
  EXPECT_THAT(uut.ended(1, end_class::user_error), IsEmpty());

  EXPECT_THAT(uut.goes_on(), ElementsAre(halts(0, kill), halts(2, kill)));
}

TEST(rank_group, tells_rank_0_alone_to_end_in_order_and_all_to_end_at_once) {
  auto uut = running(3);

  EXPECT_THAT(uut.halt(stop), ElementsAre(halts(0, stop)));
  EXPECT_THAT(uut.halt(kill), ElementsAre(halts(0, kill), halts(1, kill), halts(2, kill)));
}

TEST(rank_group, launches_nothing_once_it_is_to_end_at_once) {
  rank_group uut{2};

  EXPECT_THAT(uut.halt(kill), ElementsAre(halts(0, kill)));
  EXPECT_THAT(uut.begun(), IsEmpty());
  EXPECT_THAT(uut.ended(0, end_class::killed), ElementsAre(over(0)));
}

TEST(rank_group, knows_no_other_ranks_and_no_second_end) {
  auto uut = running(2);

  EXPECT_THAT(uut.ended(7, end_class::user_error), IsEmpty());
  EXPECT_THAT(uut.ended(1, end_class::finished), IsEmpty());
  EXPECT_THAT(uut.ended(1, end_class::user_error), IsEmpty());
}

/// The owner's view of a group: ranks that run, and ranks that were halted.
struct stage {
  std::set<std::uint32_t> runs{0};
  std::set<std::uint32_t> told;
  int overs = 0;

  void take(const rank_commands& all) {
    for (const auto& x : all) {
      if (const auto* begun = std::get_if<rank_cmd::launch>(&x)) {
        EXPECT_TRUE(runs.insert(begun->rank).second);
      } else if (const auto* halted = std::get_if<rank_cmd::halt>(&x)) {
        EXPECT_TRUE(runs.contains(halted->rank));
        told.insert(halted->rank);
      } else {
        EXPECT_TRUE(runs.empty());
        EXPECT_FALSE(runs.contains(std::get<rank_cmd::over>(x).as));
        ++overs;
      }
    }
  }
};

void play(std::uint64_t seed) {
  rng dice{seed, "ranks", 0};
  const auto ranks = static_cast<std::uint32_t>(1 + dice.below(5));
  rank_group uut{ranks};
  stage seen;
  static constexpr end_class ends[]
      = {end_class::finished, end_class::finished, end_class::user_error, end_class::preempted,
         end_class::stopped};
  for (int i = 0; i < 30; ++i) {
    switch (dice.below(6)) {
      case 0:
        seen.take(uut.begun());
        break;
      case 1:
        if (dice.below(4) == 0)
          seen.take(uut.halt(dice.below(2) == 0 ? stop : kill));
        break;
      case 2:
        if (dice.below(4) == 0)
          uut.let_end();
        break;
      case 3:
        seen.take(uut.goes_on());
        break;
      default: {
        const auto rank = static_cast<std::uint32_t>(dice.below(ranks));
        const auto runs = seen.runs.erase(rank) == 1;
        auto did = uut.ended(rank, ends[dice.below(5)]);
        if (!runs) {
          EXPECT_THAT(did, IsEmpty()) << seed;
        }
        seen.take(did);
      }
    }
    // Without rank 0 every rank that still runs has been halted.
    for (auto rank : seen.runs)
      EXPECT_TRUE(seen.runs.contains(0) || seen.told.contains(rank)) << seed << ": rank " << rank;
    EXPECT_EQ(seen.overs, seen.runs.empty() ? 1 : 0) << seed;
    EXPECT_EQ(uut.is_over(), seen.runs.empty()) << seed;
  }
}

TEST(rank_group, is_over_once_and_not_before_nothing_of_it_runs_whatever_comes) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed)
    play(seed);
}

} // namespace
} // namespace tune
