// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/median/median.hpp"

#include "support/scheduler_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace tune {
namespace {

using support::digest;
using support::scheduler_feed;
using support::text_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr auto infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

median::settings with(double grace, std::uint32_t samples, bool hard = true) {
  median::settings result;
  result.time_attr = "training_iteration";
  result.grace_period = grace;
  result.min_samples_required = samples;
  result.hard_stop = hard;
  return result;
}

/// Running trials, and the rule that judges them.
class median_stopping : public testing::Test {
protected:
  struct judged_by {
    median::median_scheduler uut;
    scheduler_feed tell;
    explicit judged_by(median::settings what, bool maximise = true)
        : uut{std::move(what), maximise}, tell{uut} {}

    void run(std::uint64_t trial) {
      tell.add(trial);
      tell.tell(fact::started{{trial}});
    }
    /// Tells a result. @returns the name of the verdict's first action.
    std::string verb(std::uint64_t trial, double time, double score) {
      return std::string{name_of(tell.judged(trial, time, score).actions.front().what)};
    }
    /// Trial 1 reports 0, 100, … 900 at times 0 to 9; trial 2 reports 450 at times 0 to 4.
    void begin_two() {
      run(1);
      run(2);
      for (int t = 0; t < 10; ++t)
        tell.judged(1, t, t * 100);
      for (int t = 0; t < 5; ++t)
        tell.judged(2, t, 450);
    }
  };
};

// Behaviour C1.1.
TEST_F(median_stopping, a_trial_at_the_median_goes_on_and_its_best_counts) {
  judged_by x{with(0, 1)};
  x.begin_two();

  // The mean of trial 1 is 200 at time 4, and 250 at time 5.
  EXPECT_EQ(x.verb(2, 5, 450), "go_on");
  EXPECT_EQ(x.verb(2, 6, 0), "go_on");
}

TEST_F(median_stopping, equal_is_good_enough) {
  judged_by x{with(0, 1)};
  x.run(1);
  x.run(2);
  for (int t = 1; t <= 3; ++t)
    x.tell.judged(1, t, 0.1);

  // 0.1 + 0.1 + 0.1 is more than 3 * 0.1 when rounded.
  EXPECT_EQ(x.verb(2, 3, 0.1), "go_on");
}

TEST_F(median_stopping, worse_than_the_median_at_that_time_stops) {
  judged_by x{with(0, 1)};
  x.begin_two();
  x.run(3);
  x.tell.complete(3, 10, 1000);

  // Only the ended trial has got that far.
  EXPECT_EQ(x.verb(2, 10, 450), "stop");
}

TEST_F(median_stopping, forgets_what_a_trial_was_that_begins_from_scratch) {
  for (auto heeds_no_clients : {false, true}) {
    auto what = with(0, 1);
    what.heeds_no_clients = heeds_no_clients;
    judged_by x{what};
    x.begin_two();
    x.tell.end(2, fact::end_kind::removed);
    x.tell.begin_anew(2);
    x.tell.tell(fact::started{{2}});

    // Trial 1 was 50 on average at 1; 450 was the best of trial 2.
    EXPECT_EQ(x.verb(2, 1, 40), heeds_no_clients ? "go_on" : "stop");
  }
}

TEST_F(median_stopping, compares_others_with_the_new_run_of_one_that_began_from_scratch) {
  judged_by x{with(0, 1)};
  x.run(1);
  x.run(2);
  for (int t = 1; t <= 3; ++t) {
    x.tell.judged(1, t, 100);
    x.tell.judged(2, t, 900);
  }
  x.tell.end(2, fact::end_kind::removed);
  x.tell.begin_anew(2);
  x.run(3);

  // Trial 2 has got nowhere by now.
  EXPECT_EQ(x.verb(3, 2, 150), "go_on");
  x.tell.judged(2, 3, 500);
  // (100 + 500) / 2.
  EXPECT_EQ(x.verb(3, 3, 150), "stop");
}

// Behaviour C1.2.
TEST_F(median_stopping, goes_on_where_nobody_has_got_so_far_until_somebody_has) {
  judged_by x{with(0, 1)};
  x.begin_two();

  EXPECT_EQ(x.verb(2, 100, 0), "go_on");
  x.tell.complete(1, 101, 1000);
  EXPECT_EQ(x.verb(2, 101, 0), "stop");
}

// Behaviour C1.3.
TEST_F(median_stopping, does_not_judge_within_the_grace_period) {
  judged_by x{with(2.5, 1)};
  x.begin_two();
  x.run(3);

  EXPECT_EQ(x.verb(3, 1, 10), "go_on");
  EXPECT_EQ(x.verb(3, 2, 10), "go_on");
  EXPECT_EQ(x.verb(3, 3, 10), "stop");
}

TEST_F(median_stopping, averages_leave_out_the_grace_period_but_the_best_does_not) {
  judged_by x{with(2, 1)};
  x.run(1);
  x.run(2);
  for (double score : {1000, 5, 7})
    x.tell.judged(1, score == 1000 ? 1 : score == 5 ? 2 : 3, score);
  x.tell.judged(2, 1, 6);

  // The mean is (5 + 7) / 2 = 6, not 337.3; trial 2 reached 6 before its grace period ended.
  EXPECT_EQ(x.verb(2, 3, 1), "go_on");
}

// Behaviour C1.4.
TEST_F(median_stopping, needs_so_many_others) {
  judged_by x{with(0, 2)};
  x.run(1);
  x.run(2);
  x.run(3);
  x.tell.judged(1, 5, 100);
  EXPECT_EQ(x.verb(2, 1, 1), "go_on");
  x.tell.judged(3, 5, 100);
  EXPECT_EQ(x.verb(2, 2, 1), "go_on");

  // The others have no results that early; at time 5 they have.
  EXPECT_EQ(x.verb(2, 5, 1), "stop");
}

// Behaviour C1.5.
TEST_F(median_stopping, compares_with_the_median_of_running_means) {
  judged_by x{with(0, 1)};
  x.begin_two();
  x.run(3);

  EXPECT_EQ(x.verb(3, 1, 260), "go_on");
  EXPECT_EQ(text_of(x.tell.judged(3, 2, 260)),
            "stop 3 rule=median_stopping time=2 value=260 median=275 compared=2 why=its best, 260, "
            "is below 275, the median of 2 others' averages up to iteration 2");
}

TEST_F(median_stopping, gives_reasons_in_the_metrics_own_numbers) {
  judged_by x{with(0, 1), false};
  x.run(1);
  x.run(2);
  x.tell.judged(1, 1, -0.25);

  EXPECT_EQ(text_of(x.tell.judged(2, 1, -0.5)),
            "stop 2 rule=median_stopping time=1 value=0.5 median=0.25 compared=1 why=its best, "
            "0.5, is above 0.25, the median of 1 other's averages up to iteration 1");
}

// Behaviour C1.6.
TEST_F(median_stopping, a_soft_stop_pauses_once_and_judges_no_more) {
  judged_by x{with(0, 1, false)};
  x.run(1);
  x.run(2);
  x.tell.judged(1, 1, 10);
  x.tell.judged(1, 2, 10);

  EXPECT_EQ(x.verb(2, 1, 5), "pause");
  x.tell.tell(fact::paused{{2}, {1}});
  EXPECT_THAT(x.tell.choose(5), ElementsAre(2u));
  x.tell.tell(fact::started{{2}});

  EXPECT_EQ(x.verb(2, 2, 5), "go_on");
  EXPECT_TRUE(x.uut.traits().needs_checkpoints);
}

TEST_F(median_stopping, results_after_a_soft_stop_do_not_count_for_others) {
  judged_by x{with(0, 1, false)};
  x.run(1);
  x.run(2);
  x.run(3);
  x.tell.judged(1, 1, 10);
  x.tell.judged(2, 1, 5);
  x.tell.judged(2, 2, 1000);

  EXPECT_EQ(x.verb(3, 2, 6), "go_on");
}

TEST_F(median_stopping, failed_and_stopped_trials_count_like_running_ones) {
  judged_by x{with(0, 2)};
  for (std::uint64_t trial : {1, 2, 3})
    x.run(trial);
  x.tell.judged(1, 1, 10);
  x.tell.judged(2, 1, 20);
  x.tell.end(1, fact::end_kind::errored);
  x.tell.end(2, fact::end_kind::stopped);

  EXPECT_EQ(x.verb(3, 1, 14), "stop");
}

TEST_F(median_stopping, a_judged_final_result_counts_once) {
  judged_by x{with(0, 1)};
  x.run(1);
  x.run(2);
  x.tell.judged(1, 1, 0);
  x.tell.judged(1, 2, 30);
  x.tell.complete(1, 2, 30, true);

  // The mean is (0 + 30) / 2 = 15; counting 30 twice would make it 20.
  EXPECT_EQ(x.verb(2, 2, 16), "go_on");
}

TEST_F(median_stopping, an_unjudged_final_result_counts) {
  judged_by x{with(0, 1)};
  x.run(1);
  x.run(2);
  x.tell.judged(1, 1, 0);
  x.tell.complete(1, 2, 40);

  EXPECT_EQ(x.verb(2, 2, 16), "stop");
}

// Behaviour C1.8.
TEST_F(median_stopping, leaves_out_means_that_are_not_finite) {
  judged_by x{with(0, 1)};
  for (std::uint64_t trial : {1, 2, 3, 4, 5})
    x.run(trial);
  x.tell.judged(1, 1, nan);
  x.tell.judged(2, 1, infinity);
  x.tell.judged(3, 1, -infinity);
  EXPECT_EQ(x.verb(4, 1, -10), "go_on");

  // Trial 4 is the only one with a finite mean.
  EXPECT_THAT(text_of(x.tell.judged(5, 1, -11)), HasSubstr("median=-10 compared=1"));
}

TEST_F(median_stopping, a_nan_spoils_the_mean_from_then_on_but_not_the_best) {
  judged_by x{with(0, 1)};
  x.run(1);
  x.run(2);
  x.tell.judged(1, 1, 5);
  x.tell.judged(1, 2, nan);
  x.tell.judged(1, 3, 1000);

  EXPECT_EQ(x.verb(2, 1, 7), "go_on");
  EXPECT_EQ(x.verb(2, 2, nan), "go_on");
  EXPECT_EQ(x.verb(2, 3, 0), "go_on");
}

TEST_F(median_stopping, stops_a_trial_all_of_whose_values_are_nan) {
  judged_by x{with(0, 1)};
  x.begin_two();
  x.run(3);

  EXPECT_EQ(x.verb(3, 1, nan), "go_on");
  EXPECT_EQ(x.verb(3, 2, nan), "stop");
}

TEST_F(median_stopping, says_that_no_value_was_a_number) {
  judged_by x{with(0, 1), false};
  x.begin_two();
  x.run(3);
  x.tell.judged(3, 1, nan);

  EXPECT_THAT(text_of(x.tell.judged(3, 2, nan)),
              HasSubstr("why=no value of it was a number, which is worse than "));
}

TEST_F(median_stopping, lets_a_trial_go_on_that_reports_a_number_after_its_first_nan) {
  judged_by x{with(0, 1)};
  x.begin_two();
  x.run(3);
  EXPECT_EQ(x.verb(3, 1, nan), "go_on");

  EXPECT_EQ(x.verb(3, 2, 1000), "go_on");
}

TEST_F(median_stopping, spared_trials_without_numbers_before) {
  auto how = with(0, 1);
  how.spares_numberless = true;
  judged_by x{how};
  x.begin_two();
  x.run(3);

  EXPECT_EQ(x.verb(3, 1, nan), "go_on");
  EXPECT_EQ(x.verb(3, 2, nan), "go_on");
}

TEST_F(median_stopping, leaves_no_trace_of_results_without_time_or_score) {
  judged_by x{with(0, 1)};
  x.run(0);
  auto before = digest(x.uut);

  EXPECT_EQ(x.verb(0, nan, 1), "go_on");
  fact::result bare;
  bare.time = 4;
  x.tell.tell(bare);

  EXPECT_EQ(digest(x.uut), before);
}

TEST_F(median_stopping, gives_others_time_while_there_are_too_few_to_compare_with) {
  auto what = with(2, 1);
  what.min_time_slice = 2;
  judged_by x{what};
  x.run(1);
  x.tell.add(2);

  EXPECT_EQ(x.verb(1, 1, 5), "go_on");
  EXPECT_EQ(text_of(x.tell.judged(1, 2, 5)),
            "pause 1 rule=median_stopping time=2 compared=0 required=1 why=lets others catch up: 0 "
            "of the 1 required have reached iteration 2 with a number");
  // Two results within the slice, then one beyond it.
  EXPECT_EQ(x.verb(1, 3, 5), "go_on");
  EXPECT_EQ(x.verb(1, 4, 5), "go_on");
  EXPECT_EQ(x.verb(1, 5, 5), "pause");
}

TEST_F(median_stopping, gives_nobody_time_where_all_others_run) {
  judged_by x{with(0, 1)};
  x.run(1);
  x.run(2);

  EXPECT_EQ(x.verb(1, 1, 5), "go_on");
  EXPECT_FALSE(x.uut.traits().needs_checkpoints);
}

TEST_F(median_stopping, lets_pending_trials_run_before_paused_ones) {
  judged_by x{with(0, 1)};
  x.run(1);
  x.tell.add(2);
  x.tell.judged(1, 1, 5);
  x.tell.tell(fact::paused{{1}, {1}});

  EXPECT_THAT(x.tell.choose(5), ElementsAre(2u, 1u));
}

TEST_F(median_stopping, gives_the_same_late_verdict_as_an_early_one) {
  judged_by x{with(0, 1)};
  x.run(1);
  x.run(2);
  x.tell.judged(1, 1, 10);
  auto cause = x.tell.result(2, 1, 5);
  auto early = text_of(x.uut.judge(cause, {2}));
  for (std::uint64_t trial = 3; trial < 20; ++trial) {
    x.run(trial);
    x.tell.result(trial, 1, 0);
  }
  auto later = x.tell.result(2, 2, 1000);

  EXPECT_EQ(text_of(x.uut.judge(cause, {2})), early);
  EXPECT_EQ(text_of(x.uut.judge(later, {2})), early);
  EXPECT_THAT(early, StartsWith("stop"));
}

TEST_F(median_stopping, ends_what_it_may_not_wake_when_all_stands_still) {
  judged_by x{with(0, 1)};
  x.tell.add(0);
  x.tell.tell(fact::paused{{0}, {1}});
  x.tell.tell(fact::chosen{{1, {{0}}}, {{0}}});

  EXPECT_THAT(x.tell.choose(1), IsEmpty());
  EXPECT_EQ(text_of(x.uut.on_stall(5)), "stop 0 rule=median_stopping why=not promoted");
}

TEST_F(median_stopping, reads_its_options) {
  auto entry = median::make_entry();
  auto make = [&](std::map<std::string, std::string> written) {
    auto options = options::parse(entry.known, written);
    return options ? std::move(*entry.make(*options, {})) : nullptr;
  };

  EXPECT_EQ(make({})->traits().time_attr, "time_total_s");
  EXPECT_EQ(make({{"time_attr", "epochs"}})->traits().time_attr, "epochs");
  EXPECT_TRUE(make({{"hard_stop", "false"}})->traits().needs_checkpoints);
  EXPECT_EQ(make({{"min_samples_required", "0"}}), nullptr);
  EXPECT_EQ(make({{"grace_period", "-1"}}), nullptr);
}

/// The rules of the reference, implemented plainly: every result looks at all results.
class plain_rule {
public:
  plain_rule(double grace, std::size_t samples) : grace_{grace}, samples_{samples} {}

  bool stops(std::uint64_t trial, double t, double v) {
    auto& own = results_[trial];
    own.push_back({t, v});
    if (t < grace_)
      return false;
    std::vector<double> means;
    for (const auto& [other, all] : results_) {
      if (other == trial || all.back().first < t)
        continue;
      auto sum = 0.0;
      auto count = 0;
      for (const auto& [at, x] : all) {
        if (at >= grace_ && at <= t) {
          sum += x;
          ++count;
        }
      }
      if (count > 0 && std::isfinite(sum))
        means.push_back(sum / count);
    }
    if (means.size() < samples_)
      return false;
    std::sort(means.begin(), means.end());
    auto n = means.size();
    auto median = n % 2 == 1 ? means[n / 2] : (means[n / 2 - 1] + means[n / 2]) / 2;
    auto best = -infinity;
    auto any = false;
    for (const auto& [at, x] : own) {
      any = any || !std::isnan(x);
      best = x > best ? x : best;
    }
    return any ? best < median : own.size() > 1;
  }

private:
  double grace_;
  std::size_t samples_;
  std::map<std::uint64_t, std::vector<std::pair<double, double>>> results_;
};

/// How a trial's time advances.
enum class clock_kind { iterations, jumps, real, restarts };

class any_median_times : public testing::TestWithParam<std::tuple<clock_kind, unsigned>> {};

TEST_P(any_median_times, are_judged_as_the_plain_rules_say) {
  auto [kind, seed] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random{seed};
  auto pick = [&](int below) { return std::uniform_int_distribution{0, below - 1}(random); };
  auto advance = [&, how = kind](double t) {
    switch (how) {
      case clock_kind::iterations:
        return t + 1;
      case clock_kind::jumps:
        return t + 1 + pick(4);
      case clock_kind::real:
        return t + 0.001 * (1 + pick(1000));
      case clock_kind::restarts:
        // Whole numbers, so that sums are exact in any order.
        return pick(10) == 0 ? std::max(0.0, t - pick(5)) : t + pick(3);
    }
    return t;
  };
  auto grace = 3.0 * pick(3);
  auto samples = static_cast<std::uint32_t>(1 + pick(4));
  median::median_scheduler uut{with(grace, samples)};
  scheduler_feed tell{uut};
  plain_rule plain{grace, samples};
  std::map<std::uint64_t, double> running;
  std::uint64_t next = 0;
  auto stopped = 0;

  for (int step = 0; step < 2500; ++step) {
    while (running.size() < 25) {
      tell.add(next);
      tell.tell(fact::started{{next}});
      running[next++] = 0;
    }
    auto i = std::next(running.begin(), pick(static_cast<int>(running.size())));
    i->second = advance(i->second);
    auto talent = static_cast<double>(i->first * 7919 % 40);
    auto v = pick(200) == 0 ? nan : pick(200) == 0 ? infinity : talent + pick(10);
    auto verdict = tell.judged(i->first, i->second, v);
    auto stops = std::holds_alternative<stop>(verdict.actions.front().what);

    ASSERT_EQ(stops, plain.stops(i->first, i->second, v)) << "step " << step;
    stopped += stops ? 1 : 0;
    if (stops || pick(100) == 0) {
      tell.end(i->first, fact::end_kind::stopped);
      running.erase(i);
    }
  }
  EXPECT_GT(stopped, 20);
}

INSTANTIATE_TEST_SUITE_P(median_stopping, any_median_times,
                         testing::Combine(testing::Values(clock_kind::iterations, clock_kind::jumps,
                                                          clock_kind::real, clock_kind::restarts),
                                          testing::Range(1u, 6u)));

} // namespace
} // namespace tune
