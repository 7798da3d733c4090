// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/asha.hpp"
#include "tune/core/schedule/asha/promotion.hpp"

#include "support/scheduler_feed.hpp"
#include "support/scheduler_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tune {
namespace {

using support::digest;
using support::scheduler_feed;
using support::text_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const double nan = std::nan("");

asha::settings with(double max_t, double grace, double eta) {
  asha::settings result;
  result.max_t = max_t;
  result.grace_period = grace;
  result.reduction_factor = eta;
  return result;
}

/// Running and waiting trials, and the rule that promotes them.
struct climbing {
  asha::promotion uut;
  scheduler_feed tell{uut};
  /// Trials 0 to n - 1 wait at rung 1 with these scores.
  explicit climbing(asha::settings what, const std::vector<double>& scores = {},
                    bool maximise = true)
      : uut{std::move(what), 1, maximise} {
    for (std::uint64_t trial = 0; trial < scores.size(); ++trial) {
      run(trial);
      wait(trial, 1, scores[trial]);
    }
  }
  climbing(const climbing&) = delete;

  void run(std::uint64_t trial) {
    tell.add(trial);
    go(trial);
  }
  /// The trial is chosen and starts.
  void go(std::uint64_t trial) {
    tell.tell(fact::chosen{{1, {{trial}}}, {}});
    tell.tell(fact::started{{trial}});
  }
  /// The trial reports and pauses.
  void wait(std::uint64_t trial, double time, double score) {
    EXPECT_THAT(text_of(tell.judged(trial, time, score)), StartsWith("pause"));
    tell.tell(fact::paused{{trial}, {trial + 1}});
  }
  /// Trials that the rule would start, in order.
  std::vector<std::uint64_t> named(std::uint32_t count = 10) const {
    std::vector<std::uint64_t> result;
    for (auto x : uut.choose(1, count).start)
      result.push_back(x.number);
    return result;
  }
};

TEST(asha_promotion, pauses_at_a_rung_and_says_where_the_trial_stands) {
  climbing x{with(9, 1, 3)};
  for (std::uint64_t trial : {0, 1, 2})
    x.run(trial);

  EXPECT_EQ(
      text_of(x.tell.judged(0, 1, 5)),
      "pause 0 rule=asha bracket=0 rung=1 value=5 rank=1 recorded=1 promotable=0 why=waits at "
      "rung 1: rank 1 of 1, of which none goes on yet");
  x.tell.judged(1, 1, 7);
  EXPECT_EQ(text_of(x.tell.judged(2, 1, 6)),
            "pause 2 rule=asha bracket=0 rung=1 value=6 rank=2 recorded=3 promotable=1 cutoff=7 "
            "why=waits at rung 1: rank 2 of 3, of which the best goes on");
}

TEST(asha_promotion, goes_on_between_rungs) {
  climbing x{with(100, 2, 3)};
  x.run(0);

  EXPECT_EQ(text_of(x.tell.judged(0, 1, 5)), "go_on 0");
  EXPECT_THAT(text_of(x.tell.judged(0, 2, 5)), StartsWith("pause 0"));
}

TEST(asha_promotion, promotes_one_in_so_many_of_those_that_finished_the_rung) {
  climbing x{with(100, 1, 3), {5, 7}};
  EXPECT_THAT(x.named(), IsEmpty());

  // The best of three is promoted, and the best two of six.
  x.run(2);
  x.wait(2, 1, 6);
  EXPECT_THAT(x.named(), ElementsAre(1));
  x.go(1);
  for (std::uint64_t trial : {3, 4, 5}) {
    EXPECT_THAT(x.named(), IsEmpty());
    x.run(trial);
    x.wait(trial, 1, 1);
  }
  EXPECT_THAT(x.named(), ElementsAre(2));
}

TEST(asha_promotion, prefers_promotions_to_new_trials_and_higher_rungs_to_lower_ones) {
  climbing x{with(100, 1, 2), {9, 8, 7, 6, 5, 4, 3, 2}};
  x.tell.add(20);
  EXPECT_THAT(x.named(), ElementsAre(0, 1, 2, 3, 20));
  for (std::uint64_t trial : {0, 1}) {
    x.go(trial);
    x.wait(trial, 2, 9);
  }

  // One of the two at rung 2 is promoted: the earlier one, as the scores are equal.
  EXPECT_THAT(x.named(), ElementsAre(0, 2, 3, 20));
  EXPECT_THAT(x.named(2), ElementsAre(0, 2));
}

TEST(asha_promotion, a_promoted_trial_says_so_at_its_next_result) {
  climbing x{with(100, 1, 4), {-4, -3, -2, -1}, false};
  x.go(3);

  EXPECT_EQ(text_of(x.tell.judged(3, 2, -1)),
            "go_on 3; annotate 3 rule=asha bracket=0 rung=1 value=1 rank=1 recorded=4 promotable=1 "
            "cutoff=1 why=promoted from rung 1: rank 1 of 4");
  EXPECT_EQ(text_of(x.tell.judged(3, 3, -1)), "go_on 3");
}

TEST(asha_promotion, a_better_one_takes_the_place_of_one_that_waits) {
  climbing x{with(100, 1, 2), {5, 4}};
  EXPECT_THAT(x.named(), ElementsAre(0));
  x.run(2);
  x.wait(2, 1, 6);

  // One of three is promoted.
  EXPECT_THAT(x.named(), ElementsAre(2));
}

TEST(asha_promotion, does_not_name_a_trial_before_it_has_paused) {
  climbing x{with(100, 1, 2)};
  x.run(0);
  x.run(1);
  x.wait(1, 1, 1);
  x.tell.judged(0, 1, 2);
  EXPECT_THAT(x.named(), IsEmpty());

  x.tell.tell(fact::paused{{0}, {1}});

  EXPECT_THAT(x.named(), ElementsAre(0));
}

TEST(asha_promotion, does_not_promote_in_place_of_one_that_is_gone) {
  climbing x{with(100, 1, 2), {5, 4}};
  x.tell.end(0, fact::end_kind::removed);

  EXPECT_THAT(x.named(), IsEmpty());
}

TEST(asha_promotion, a_promoted_trial_that_comes_back_is_first_in_the_queue) {
  climbing x{with(100, 1, 2), {5, 4, 3, 2}};
  x.tell.add(9);
  x.go(0);
  x.tell.tell(fact::failed{{0}});
  x.tell.add(0, true);

  EXPECT_THAT(x.named(), ElementsAre(0, 1, 9));
}

TEST(asha_promotion, one_that_waits_and_loses_its_node_waits_on) {
  climbing x{with(100, 1, 2), {5, 4}};
  x.tell.add(1, true);
  EXPECT_THAT(x.named(), ElementsAre(0));

  x.run(2);
  x.wait(2, 1, 1);
  x.run(3);
  x.wait(3, 1, 1);

  EXPECT_THAT(x.named(), ElementsAre(0, 1));
}

TEST(asha_promotion, a_new_trial_that_comes_back_stands_at_the_end) {
  climbing x{with(100, 1, 2)};
  x.run(0);
  x.tell.add(1);
  x.tell.tell(fact::failed{{0}});
  x.tell.add(0, true);

  EXPECT_THAT(x.named(), ElementsAre(1, 0));
}

TEST(asha_promotion, counts_a_trial_once_per_rung) {
  climbing x{with(100, 1, 2)};
  x.run(0);
  x.tell.judged(0, 1, 5);
  x.tell.tell(fact::failed{{0}});
  x.tell.add(0, true);
  x.tell.complete(0, 1, 9);
  x.run(1);

  EXPECT_THAT(text_of(x.tell.judged(1, 1, 4)), HasSubstr("rank=2 recorded=2"));
}

TEST(asha_promotion, gives_a_trial_its_old_place_that_is_to_keep_it) {
  climbing x{with(8, 1, 2)};
  x.run(0);
  x.run(1);
  x.tell.add(2);
  x.tell.tell(fact::added{{1}, nullptr, false});
  x.tell.tell(fact::added{{0}, nullptr, false});

  EXPECT_THAT(x.tell.choose(9), ElementsAre(0u, 1u, 2u));
}

TEST(asha_promotion, tells_a_trial_to_pause_again_whose_pause_came_to_nothing) {
  climbing x{with(100, 1, 2), {5}};
  x.run(1);
  x.tell.judged(1, 1, 4);

  EXPECT_THAT(text_of(x.tell.judged(1, 2, 9)), StartsWith("pause 1 rule=asha bracket=0 rung=2"));
  EXPECT_THAT(text_of(x.tell.judged(1, 3, 9)), StartsWith("pause 1 rule=asha bracket=0 rung=2"));
}

TEST(asha_promotion, one_that_did_not_pause_goes_on_where_it_is_among_the_best_by_then) {
  climbing x{with(100, 1, 4)};
  for (std::uint64_t trial : {0, 1, 2, 3})
    x.run(trial);
  x.tell.judged(0, 1, 5);
  EXPECT_THAT(text_of(x.tell.judged(0, 2, 5)), StartsWith("pause"));
  for (std::uint64_t trial : {1, 2, 3})
    x.tell.judged(trial, 1, 1);

  EXPECT_EQ(text_of(x.tell.judged(0, 3, 5)),
            "go_on 0; annotate 0 rule=asha bracket=0 rung=1 value=5 rank=1 recorded=4 promotable=1 "
            "cutoff=5 why=promoted from rung 1: rank 1 of 4");
}

TEST(asha_promotion, stops_at_the_end_of_time) {
  climbing x{with(9, 1, 3)};
  x.run(0);

  EXPECT_EQ(text_of(x.tell.judged(0, 9, 1)), "stop 0 rule=asha max_t=9 time=9 why=reached max_t");
  EXPECT_THAT(text_of(x.tell.judged(0, 10, 1)), StartsWith("stop 0"));
}

TEST(asha_promotion, does_not_wait_where_nothing_is_left_to_be_promoted_to) {
  auto what = with(9, 9, 3);
  what.stop_last_trials = false;
  climbing x{what};
  x.run(0);

  EXPECT_EQ(text_of(x.tell.judged(0, 9, 1)), "go_on 0");
  EXPECT_EQ(text_of(x.tell.judged(0, 99, 1)), "go_on 0");
}

TEST(asha_promotion, a_jump_over_rungs_passes_them) {
  climbing x{with(100, 1, 4)};
  x.run(0);

  EXPECT_THAT(text_of(x.tell.judged(0, 20, 5)), HasSubstr("rung=16 value=5 rank=1 recorded=1"));
}

TEST(asha_promotion, nan_counts_but_is_never_promoted) {
  climbing x{with(100, 1, 2), {nan, nan, 5, nan}};

  EXPECT_THAT(x.named(), ElementsAre(2));
}

TEST(asha_promotion, leaves_no_trace_of_results_without_time_or_score) {
  climbing x{with(100, 1, 4)};
  x.run(0);
  auto before = digest(x.uut);

  EXPECT_EQ(text_of(x.tell.judged(0, nan, 1)), "go_on 0");
  fact::result bare;
  bare.time = 4;
  x.tell.tell(bare);

  EXPECT_EQ(digest(x.uut), before);
}

TEST(asha_promotion, ends_those_at_the_lowest_rung_when_nothing_can_come) {
  climbing x{with(100, 1, 2), {9, 8, 7, 6}};
  x.go(0);
  x.wait(0, 2, 9);
  x.go(1);
  x.tell.end(1, fact::end_kind::errored);
  ASSERT_THAT(x.named(), IsEmpty());

  EXPECT_EQ(text_of(x.uut.on_stall(50)),
            "stop 2 rule=asha bracket=0 rung=1 value=7 rank=3 recorded=4 promotable=2 cutoff=8 "
            "why=not promoted; stop 3 rule=asha bracket=0 rung=1 value=6 rank=4 recorded=4 "
            "promotable=2 cutoff=8 why=not promoted");
  for (std::uint64_t trial : {2, 3})
    x.tell.end(trial, fact::end_kind::stopped);
  EXPECT_THAT(text_of(x.uut.on_stall(60)), StartsWith("stop 0 rule=asha bracket=0 rung=2"));
}

TEST(asha_promotion, leaves_a_trial_alone_that_could_not_be_woken_until_something_happens) {
  climbing x{with(100, 1, 2), {9, 8}};
  x.tell.tell(fact::chosen{{1, {{0}}}, {{0}}});
  EXPECT_THAT(x.named(), IsEmpty());

  x.tell.tell(fact::unpaused{{0}});

  EXPECT_THAT(x.named(), ElementsAre(0));
}

TEST(asha_promotion, lets_a_trial_go_on_that_somebody_else_paused) {
  climbing x{with(100, 4, 2)};
  x.run(0);
  x.tell.judged(0, 2, 5);
  x.tell.tell(fact::paused{{0}, {1}});
  x.tell.add(1);

  EXPECT_THAT(x.named(), ElementsAre(1, 0));
}

TEST(asha_promotion, gives_the_same_late_verdict_as_an_early_one) {
  climbing x{with(100, 1, 2)};
  x.run(0);
  auto cause = x.tell.result(0, 1, 5);
  auto early = text_of(x.uut.judge(cause, {0}));
  for (std::uint64_t trial = 1; trial < 20; ++trial) {
    x.run(trial);
    x.tell.result(trial, 1, 100);
  }

  EXPECT_EQ(text_of(x.uut.judge(cause, {0})), early);
}

TEST(asha_promotion, has_the_brackets_of_the_stopping_form) {
  auto what = with(100, 1, 4);
  what.brackets = 4;
  climbing x{what};
  asha::bracket_plan plan{what, 1};
  std::set<std::uint32_t> seen;

  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    auto bracket = plan.bracket_of({trial});
    seen.insert(bracket);
    x.run(trial);
    auto lowest = std::pow(4.0, bracket);
    EXPECT_EQ(text_of(x.tell.judged(trial, lowest - 0.5, 1)), "go_on " + std::to_string(trial));
    EXPECT_THAT(text_of(x.tell.judged(trial, lowest, 1)),
                HasSubstr("bracket=" + std::to_string(bracket)
                          + " rung=" + std::to_string(static_cast<int>(lowest)) + " "));
  }
  EXPECT_EQ(seen.size(), 4u);
}

TEST(asha_promotion, is_a_form_of_asha) {
  auto entry = asha::make_entry();
  auto make = [&](std::map<std::string, std::string> written) {
    auto options = options::parse(entry.known, written);
    return options ? std::move(*entry.make(*options, {})) : nullptr;
  };

  EXPECT_TRUE(make({{"form", "promotion"}})->traits().needs_checkpoints);
  EXPECT_FALSE(make({})->traits().needs_checkpoints);
  EXPECT_EQ(make({{"form", "synchronous"}}), nullptr);
}

/// Worlds with failures, late answers and odd results.
class any_promotion : public testing::TestWithParam<unsigned> {};

TEST_P(any_promotion, comes_to_an_end_and_is_the_same_when_replayed) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  support::world_settings settings;
  settings.seed = GetParam();
  settings.odd = 5;
  settings.retried = 4;
  settings.fatal = 2;
  settings.late = 6;
  auto what = with(30, 1, 2);
  what.brackets = 2;
  asha::promotion uut{what, GetParam()};
  support::scheduler_world world{uut, settings};

  world.run();

  EXPECT_THAT(world.faults(), IsEmpty());
  EXPECT_EQ(world.left(), 0u);
  asha::promotion again{what, GetParam()};
  auto next = world.exchanges().begin();
  for (std::size_t i = 0; i <= world.facts().size(); ++i) {
    for (; next != world.exchanges().end() && next->after == i; ++next)
      ASSERT_EQ(support::ask_again(again, *next), next->answer) << "after " << i << " facts";
    if (i == world.facts().size())
      break;
    again.apply(world.facts()[i]);
    ASSERT_EQ(digest(again), world.digests()[i]) << "after fact " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(asha_promotion, any_promotion, testing::Range(1u, 31u));

/// Compares with a plain rule that sorts: the best third, and so on.
TEST(asha_promotion, names_whom_sorting_would_name) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    auto pick = [&](int below) { return std::uniform_int_distribution{0, below - 1}(random); };
    auto eta = 2.0 + 0.5 * pick(5);
    climbing x{with(1000, 1, eta)};
    std::vector<std::pair<double, std::uint64_t>> scores;
    std::set<std::uint64_t> promoted;
    for (std::uint64_t trial = 0; trial < 400; ++trial) {
      x.run(trial);
      auto score = static_cast<double>(pick(60));
      x.wait(trial, 1, score);
      scores.emplace_back(-score, trial);
      std::sort(scores.begin(), scores.end());
      std::vector<std::uint64_t> expected;
      for (std::size_t i = 0; i < static_cast<std::size_t>(trial + 1) / eta - 1e-9; ++i) {
        if (static_cast<double>(i + 1) <= static_cast<double>(trial + 1) / eta
            && !promoted.contains(scores[i].second))
          expected.push_back(scores[i].second);
      }
      ASSERT_EQ(x.named(1000), expected) << "after trial " << trial;
      if (!expected.empty() && pick(3) > 0) {
        auto chosen = expected[static_cast<std::size_t>(pick(static_cast<int>(expected.size())))];
        x.go(chosen);
        promoted.insert(chosen);
      }
    }
  }
}

} // namespace
} // namespace tune
