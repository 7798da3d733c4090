// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/asha.hpp"

#include "support/scheduler_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace tune {
namespace {

using support::digest;
using support::scheduler_feed;
using support::text_of;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const double nan = std::nan("");

std::vector<double> rungs(double grace, double eta, double max_t, std::uint32_t bracket = 0) {
  return asha::milestones(grace, eta, max_t, bracket, 1000);
}

asha::settings with(double max_t, double grace, double eta) {
  asha::settings result;
  result.max_t = max_t;
  result.grace_period = grace;
  result.reduction_factor = eta;
  return result;
}

/// Name of the first action: "go_on", "stop", …
std::string verb(const decision& what) {
  return what.actions.empty() ? "" : std::string{name_of(what.actions.front().what)};
}

std::unique_ptr<scheduler> made(std::map<std::string, std::string> written) {
  auto entry = asha::make_entry();
  auto options = options::parse(entry.known, written);
  auto result = entry.make(*options, {});
  return result ? std::move(*result) : nullptr;
}

TEST(asha_ladder, keeps_the_top_rung_where_a_logarithm_would_round_it_away) {
  EXPECT_THAT(rungs(1, 3, 243), ElementsAre(1, 3, 9, 27, 81, 243));
  EXPECT_THAT(rungs(1, 10, 1000), ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(rungs(1, 3, 81), ElementsAre(1, 3, 9, 27, 81));
  EXPECT_THAT(rungs(1, 6, 216), ElementsAre(1, 6, 36, 216));
  EXPECT_THAT(rungs(1, 4, 100), ElementsAre(1, 4, 16, 64));
  EXPECT_THAT(rungs(5, 5, 4), IsEmpty());
}

TEST(asha_ladder, makes_nearly_whole_products_whole) {
  EXPECT_THAT(rungs(0.1, 10, 100), ElementsAre(0.1, 1, 10, 100));
  EXPECT_THAT(rungs(2.5, 3, 30), ElementsAre(2.5, 7.5, 22.5));
}

TEST(asha_ladder, begins_one_rung_higher_in_each_bracket) {
  EXPECT_THAT(rungs(1, 4, 100, 1), ElementsAre(4, 16, 64));
  EXPECT_THAT(rungs(1, 4, 100, 3), ElementsAre(64));
  EXPECT_THAT(rungs(1, 4, 100, 4), IsEmpty());
}

// Behaviour C4.1.
TEST(asha, a_completed_better_trial_makes_a_late_bad_one_stop) {
  asha::asha_scheduler uut{with(10, 1, 4), 1};
  scheduler_feed tell{uut};
  tell.add(1);
  tell.add(2);
  for (int t = 0; t < 10; ++t)
    EXPECT_EQ(verb(tell.judged(1, t, t * 100)), "go_on");
  for (int t = 0; t < 5; ++t)
    EXPECT_EQ(verb(tell.judged(2, t, 450)), "go_on");
  tell.add(3);

  tell.complete(3, 10, 1000);

  EXPECT_EQ(verb(tell.judged(2, 101, 0)), "stop");
}

TEST(asha, an_unjudged_final_result_raises_the_bar_of_its_rung) {
  asha::asha_scheduler uut{with(100, 1, 2), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1})
    tell.add(trial);
  tell.complete(0, 1, 1000);

  EXPECT_EQ(verb(tell.judged(1, 1, 999)), "stop");
}

TEST(asha, records_a_judged_final_result_only_once) {
  asha::asha_scheduler uut{with(100, 1, 2), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1, 2})
    tell.add(trial);
  tell.judged(0, 1, 100);
  tell.complete(0, 1, 100, true);
  tell.judged(1, 1, 300);

  auto verdict = tell.judged(2, 1, 150);

  EXPECT_EQ(text_of(verdict), "stop 2 rule=asha bracket=0 rung=1 cutoff=200 value=150 recorded=2 "
                              "why=150 at iteration 1 is below the cutoff 200 of rung 1");
}

TEST(asha, gives_reasons_in_the_metrics_own_numbers) {
  asha::asha_scheduler uut{with(100, 1, 2), 1, false};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1, 2})
    tell.add(trial);
  // A loss arrives negated.
  tell.judged(0, 1, -100);
  tell.judged(1, 1, -300);

  auto verdict = tell.judged(2, 1, -250);

  EXPECT_EQ(text_of(verdict), "stop 2 rule=asha bracket=0 rung=1 cutoff=200 value=250 recorded=2 "
                              "why=250 at iteration 1 is above the cutoff 200 of rung 1");
}

// Behaviour C4.2.
TEST(asha, does_not_judge_within_the_grace_period) {
  asha::asha_scheduler uut{with(100, 2.5, 3), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1, 2})
    tell.add(trial);
  tell.judged(0, 3, 1000);
  tell.judged(1, 3, 1000);

  EXPECT_EQ(text_of(tell.judged(2, 1, 10)), "go_on 2");
  EXPECT_EQ(text_of(tell.judged(2, 2, 10)), "go_on 2");
  EXPECT_EQ(verb(tell.judged(2, 3, 10)), "stop");
}

// Behaviour C4.3.
TEST(asha, everything_stops_at_the_end_of_time_in_whichever_bracket) {
  auto what = with(10, 1, 3);
  what.brackets = 10;
  asha::asha_scheduler uut{what, 1};
  scheduler_feed tell{uut};

  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    tell.add(trial);
    EXPECT_EQ(text_of(tell.judged(trial, 10, 1e6)),
              "stop " + std::to_string(trial) + " rule=asha max_t=10 time=10 why=reached max_t");
  }
}

// Behaviour C4.4.
TEST(asha, stops_below_the_interpolated_percentile) {
  asha::asha_scheduler uut{with(9, 1, 2), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {1, 2, 3})
    tell.add(trial);
  tell.judged(1, 1, 100);
  tell.judged(1, 2, 200);
  tell.judged(2, 1, 450);
  tell.judged(2, 2, 450);

  EXPECT_EQ(text_of(tell.judged(3, 1, 260)),
            "stop 3 rule=asha bracket=0 rung=1 cutoff=275 "
            "value=260 recorded=2 why=260 at iteration 1 is below the cutoff 275 of rung 1");
}

TEST(asha, stops_below_the_interpolated_percentile_of_a_higher_rung) {
  asha::asha_scheduler uut{with(9, 1, 2), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {1, 2, 3})
    tell.add(trial);
  tell.judged(1, 1, 100);
  tell.judged(1, 2, 200);
  tell.judged(2, 1, 450);
  tell.judged(2, 2, 450);

  EXPECT_EQ(text_of(tell.judged(3, 2, 260)),
            "stop 3 rule=asha bracket=0 rung=2 cutoff=325 "
            "value=260 recorded=2 why=260 at iteration 2 is below the cutoff 325 of rung 2");
}

TEST(asha, names_the_judged_value_where_its_time_is_measured) {
  auto what = with(100, 10, 2);
  what.time_attr = "time_total_s";
  asha::asha_scheduler uut{what, 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1})
    tell.add(trial);
  tell.judged(0, 10, 5);

  auto verdict = tell.judged(1, 12.5, 4);

  EXPECT_THAT(text_of(verdict), HasSubstr("why=4 at time_total_s 12.5 is below the cutoff 5 of"));
}

// Behaviour C4.5.
TEST(asha, leaves_nan_out_of_the_percentile) {
  asha::asha_scheduler uut{with(9, 1, 2), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {1, 2, 3, 4})
    tell.add(trial);
  tell.judged(1, 1, 450);
  EXPECT_EQ(verb(tell.judged(2, 1, nan)), "go_on");
  tell.judged(3, 1, 1000);

  auto verdict = tell.judged(4, 1, 724);

  EXPECT_EQ(text_of(verdict), "stop 4 rule=asha bracket=0 rung=1 cutoff=725 value=724 recorded=2 "
                              "why=724 at iteration 1 is below the cutoff 725 of rung 1");
}

// Behaviour C4.7.
TEST(asha, without_an_end_of_time_the_first_at_a_rung_goes_on_for_ever) {
  auto what = with(1, 1, 4);
  what.stop_last_trials = false;
  asha::asha_scheduler uut{what, 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1, 2})
    tell.add(trial);

  EXPECT_EQ(verb(tell.judged(0, 2, 100)), "go_on");
  EXPECT_EQ(verb(tell.judged(1, 2, 10)), "stop");
  for (int t = 3; t < 10; ++t)
    EXPECT_EQ(text_of(tell.judged(0, t, 1)), "go_on 0");
  EXPECT_EQ(verb(tell.judged(2, 2, 77)), "stop");
}

TEST(asha, notes_rung_and_cutoff_of_a_trial_that_passes) {
  asha::asha_scheduler uut{with(100, 1, 4), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1})
    tell.add(trial);

  EXPECT_EQ(text_of(tell.judged(0, 1, 0.5)),
            "go_on 0; annotate 0 rule=asha bracket=0 rung=1 value=0.5 recorded=0");
  EXPECT_EQ(text_of(tell.judged(1, 1, 0.5)),
            "go_on 1; annotate 1 rule=asha bracket=0 rung=1 cutoff=0.5 value=0.5 recorded=1");
  EXPECT_EQ(text_of(tell.judged(1, 2, 0.6)), "go_on 1");
}

TEST(asha, a_jump_over_rungs_passes_them) {
  asha::asha_scheduler uut{with(100, 1, 4), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1})
    tell.add(trial);

  EXPECT_THAT(text_of(tell.judged(0, 20, 5)), HasSubstr("rung=16"));
  EXPECT_EQ(text_of(tell.judged(0, 21, 1000)), "go_on 0");

  // Rungs 1 and 4 are still empty.
  EXPECT_THAT(text_of(tell.judged(1, 4, 0)), HasSubstr("rung=4 value=0 recorded=0"));
}

TEST(asha, leaves_no_trace_of_results_without_time_or_score) {
  asha::asha_scheduler uut{with(100, 1, 4), 1};
  scheduler_feed tell{uut};
  tell.add(0);
  auto before = digest(uut);

  EXPECT_EQ(text_of(tell.judged(0, nan, 1)), "go_on 0");
  fact::result bare;
  bare.time = 4;
  auto cause = tell.tell(bare);

  EXPECT_EQ(text_of(uut.judge(cause, {0})), "go_on 0");
  EXPECT_EQ(digest(uut), before);
}

TEST(asha, gives_the_same_late_verdict_as_an_early_one) {
  asha::asha_scheduler uut{with(100, 1, 2), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1, 2, 3})
    tell.add(trial);
  tell.judged(0, 1, 10);
  auto passed = tell.result(1, 1, 11);
  auto early_pass = text_of(uut.judge(passed, {1}));
  auto stopped = tell.result(2, 1, 5);
  auto early_stop = text_of(uut.judge(stopped, {2}));

  for (std::uint64_t trial = 4; trial < 20; ++trial) {
    tell.add(trial);
    tell.result(trial, 1, 100);
  }

  EXPECT_EQ(text_of(uut.judge(passed, {1})), early_pass);
  EXPECT_EQ(text_of(uut.judge(stopped, {2})), early_stop);
  EXPECT_THAT(early_stop, HasSubstr("stop"));
}

TEST(asha, keeps_apart_the_verdicts_on_two_results_of_one_trial) {
  asha::asha_scheduler uut{with(100, 1, 2), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1})
    tell.add(trial);
  for (double t : {1, 2, 4})
    tell.judged(0, t, 10);
  auto first = tell.result(1, 1, 10);
  auto second = tell.result(1, 2, 9);
  auto third = tell.result(1, 3, 99);

  EXPECT_THAT(text_of(uut.judge(first, {1})),
              HasSubstr("go_on 1; annotate 1 rule=asha bracket=0 rung=1"));
  EXPECT_THAT(text_of(uut.judge(second, {1})), HasSubstr("stop 1 rule=asha bracket=0 rung=2"));
  EXPECT_THAT(text_of(uut.judge(third, {1})), HasSubstr("stop 1 rule=asha bracket=0 rung=2"));
}

TEST(asha, records_nothing_more_of_a_trial_that_it_stopped) {
  asha::asha_scheduler uut{with(100, 1, 2), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1, 2})
    tell.add(trial);
  tell.judged(0, 1, 10);
  tell.judged(1, 1, 5);
  tell.judged(1, 2, 1000);
  tell.complete(1, 2, 1000);

  EXPECT_THAT(text_of(tell.judged(2, 2, 1)), HasSubstr("rung=2 value=1 recorded=0"));
}

TEST(asha, stops_a_trial_again_that_failed_before_the_stop_took_effect) {
  asha::asha_scheduler uut{with(100, 1, 2), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1})
    tell.add(trial);
  tell.judged(0, 1, 10);
  auto verdict = uut.judge(tell.result(1, 1, 5), {1});
  tell.tell(fact::failed{{1}});
  tell.tell(fact::decided{verdict, {0}});
  tell.add(1, true);

  EXPECT_THAT(text_of(tell.judged(1, 2, 5)), HasSubstr("stop 1 rule=asha bracket=0 rung=1"));
}

TEST(asha, does_not_judge_a_revived_trial_twice_at_a_rung) {
  asha::asha_scheduler uut{with(100, 1, 2), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1})
    tell.add(trial);
  tell.judged(0, 1, 10);
  tell.judged(1, 1, 10);
  tell.end(1, fact::end_kind::errored);
  tell.add(1, true);

  EXPECT_EQ(text_of(tell.judged(1, 1, 5)), "go_on 1");
}

TEST(asha, draws_brackets_with_chances_that_fall_by_e_per_rung_less) {
  // The brackets have 4, 3, 2, 1 and 0 rungs.
  auto what = with(100, 1, 4);
  what.brackets = 5;
  asha::asha_scheduler uut{what, 7};
  scheduler_feed tell{uut};
  constexpr int trials = 20000;
  std::map<std::string, double> seen;

  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    tell.add(trial);
    auto verdict = text_of(uut.judge(tell.result(trial, 99, 1e6), {trial}));
    auto at = verdict.find("bracket=");
    ++seen[at == std::string::npos ? "none" : verdict.substr(at, 9)];
    tell.end(trial, fact::end_kind::completed);
  }

  auto sum = 0.0;
  for (int i = 0; i < 5; ++i)
    sum += std::exp(-i);
  auto near = [&](int bracket) {
    auto p = std::exp(-bracket) / sum;
    // Within five standard deviations.
    return DoubleNear(trials * p, 5 * std::sqrt(trials * p * (1 - p)));
  };
  EXPECT_THAT(seen["bracket=0"], near(0));
  EXPECT_THAT(seen["bracket=1"], near(1));
  EXPECT_THAT(seen["bracket=2"], near(2));
  EXPECT_THAT(seen["bracket=3"], near(3));
  EXPECT_THAT(seen["none"], near(4));
}

TEST(asha, ends_what_is_paused_when_all_stands_still) {
  asha::asha_scheduler uut{with(100, 1, 4), 1};
  scheduler_feed tell{uut};
  tell.add(0);
  tell.tell(fact::paused{{0}, {1}});

  EXPECT_EQ(text_of(uut.on_stall(5)), "stop 0 rule=asha why=not promoted");
}

TEST(asha, runs_in_the_order_of_arrival_whatever_the_scores) {
  asha::asha_scheduler uut{with(100, 1, 4), 1};
  scheduler_feed tell{uut};
  for (std::uint64_t trial : {0, 1, 2})
    tell.add(trial);
  EXPECT_THAT(tell.choose(1), ElementsAre(0u));
  tell.judged(0, 1, 1e9);
  tell.tell(fact::failed{{0}});
  tell.add(0, true);

  EXPECT_THAT(tell.choose(3), ElementsAre(1u, 2u, 0u));
}

TEST(asha, reads_its_options) {
  auto uut = made({{"max_t", "9"}, {"time_attr", "epochs"}, {"reduction_factor", "3"}});

  ASSERT_NE(uut, nullptr);
  EXPECT_EQ(uut->traits().time_attr, "epochs");
  EXPECT_FALSE(uut->traits().needs_checkpoints);
  scheduler_feed tell{*uut};
  tell.add(0);
  EXPECT_EQ(text_of(tell.judged(0, 9, 1)), "stop 0 rule=asha max_t=9 time=9 why=reached max_t");
}

TEST(asha, refuses_settings_that_make_no_sense) {
  auto entry = asha::make_entry();
  auto detail = [&](std::map<std::string, std::string> written) {
    auto options = options::parse(entry.known, written);
    if (!options)
      return options.error().detail;
    auto result = entry.make(*options, {});
    return result ? std::string{} : result.error().detail;
  };

  EXPECT_EQ(detail({{"max_t", "4"}, {"grace_period", "5"}}),
            "max_t = 4: must be at least grace_period = 5");
  EXPECT_EQ(detail({{"max_t", "0.5"}}), "max_t = 0.5: must be at least grace_period = 1");
  EXPECT_EQ(detail({{"grace_period", "200"}}), "grace_period = 200: must be at most max_t = 100");
  EXPECT_EQ(detail({{"grace_period", "inf"}}), "grace_period = inf: must be a finite number > 0");
  EXPECT_EQ(detail({{"reduction_factor", "1"}}), "reduction_factor = 1: must be > 1");
  EXPECT_EQ(detail({{"reduction_factor", "x"}}), "reduction_factor = x: must be a number > 1");
  EXPECT_THAT(detail({{"reduction_factor", "1.0000001"}}), HasSubstr("too near to 1"));
  EXPECT_THAT(detail({{"brackets", "0"}}), HasSubstr("must be 1 to 100"));
  EXPECT_THAT(detail({{"max_t", "0"}}), HasSubstr("must be > 0"));
  EXPECT_THAT(detail({{"max_t", "nan"}}), HasSubstr("must be"));
}

/// The rules of the reference, implemented by sorting.
class plain_asha {
public:
  plain_asha(std::vector<double> marks, double eta, double max_t)
      : marks_{std::move(marks)}, q_{(1 - 1 / eta) * 100 / 100}, max_t_{max_t} {}

  bool stops(std::uint64_t trial, double t, double v) {
    if (t >= max_t_)
      return true;
    for (auto i = marks_.size(); i-- > 0;) {
      if (t < marks_[i])
        continue;
      if (recorded_[i].contains(trial))
        return false;
      auto cutoff = percentile(recorded_[i]);
      recorded_[i][trial] = v;
      return v < cutoff;
    }
    return false;
  }

private:
  std::vector<double> marks_;
  double q_;
  double max_t_;
  std::map<std::size_t, std::map<std::uint64_t, double>> recorded_;

  double percentile(const std::map<std::uint64_t, double>& where) const {
    std::vector<double> xs;
    for (const auto& [trial, x] : where) {
      if (!std::isnan(x))
        xs.push_back(x);
    }
    if (xs.empty())
      return nan;
    std::sort(xs.begin(), xs.end());
    auto p = static_cast<double>(xs.size() - 1) * q_;
    auto i = static_cast<std::size_t>(p);
    auto f = p - static_cast<double>(i);
    if (i + 1 >= xs.size())
      return xs[i];
    auto a = xs[i];
    auto b = xs[i + 1];
    return f < 0.5 ? a + (b - a) * f : b - (b - a) * (1 - f);
  }
};

class any_curves : public testing::TestWithParam<unsigned> {};

TEST_P(any_curves, are_judged_as_the_plain_rules_say) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  std::mt19937 random{GetParam()};
  auto pick = [&](int below) { return std::uniform_int_distribution{0, below - 1}(random); };
  auto what = with(20 + pick(100), 1 + pick(3), 2 + pick(3));
  asha::asha_scheduler uut{what, GetParam()};
  scheduler_feed tell{uut};
  plain_asha plain{rungs(what.grace_period, what.reduction_factor, what.max_t),
                   what.reduction_factor, what.max_t};
  std::map<std::uint64_t, int> running;
  std::uint64_t next = 0;

  for (int step = 0; step < 3000; ++step) {
    if (running.size() < 30) {
      tell.add(next);
      running[next++] = 0;
    }
    auto i = std::next(running.begin(), pick(static_cast<int>(running.size())));
    auto t = ++i->second;
    auto v = pick(20) == 0 ? nan : static_cast<double>(pick(50)) + 0.1 * t;

    auto verdict = tell.judged(i->first, t, v);

    ASSERT_EQ(verb(verdict) == "stop", plain.stops(i->first, t, v)) << "step " << step;
    if (verb(verdict) == "stop") {
      tell.end(i->first, fact::end_kind::stopped);
      running.erase(i);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(asha, any_curves, testing::Range(1u, 11u));

} // namespace
} // namespace tune
