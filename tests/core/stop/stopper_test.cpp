// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/stop/stopper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tune {
namespace {

using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

using stoppers = std::vector<std::unique_ptr<stopper>>;

stoppers made(const std::vector<stop_line>& lines) {
  auto result = make_stoppers(lines);
  EXPECT_TRUE(result) << (result ? "" : result.error().detail);
  return result ? std::move(*result) : stoppers{};
}

report of(object metrics, std::uint64_t iteration = 1, std::uint64_t trial = 0) {
  report result;
  result.trial = {trial};
  result.iteration = iteration;
  result.metrics = std::make_shared<const object>(std::move(metrics));
  return result;
}

/// The first verdict, as an experiment would determine it.
std::optional<stop_verdict> see(const stoppers& all, const report& what) {
  std::optional<stop_verdict> result;
  for (const auto& x : all) {
    auto verdict = x->see(what);
    if (!result)
      result = std::move(verdict);
  }
  return result;
}

bool stops(const stoppers& all, const report& what) {
  return see(all, what).has_value();
}

bool stops(const std::string& when, object metrics) {
  return stops(made({{"when", when}}), of(std::move(metrics)));
}

std::string fault_of(const std::string& key, const std::string& text) {
  auto result = make_stoppers({{key, text}});
  EXPECT_FALSE(result) << key << " = " << text;
  if (result)
    return {};
  EXPECT_EQ(result.error().detail.find("\"" + key + "\": "), 0u) << result.error().detail;
  return result.error().detail.substr(key.size() + 4);
}

TEST(stop, B1_6_goes_on_below_and_stops_at_and_above_a_number) {
  auto uut = made({{"accuracy", "0.9"}});

  EXPECT_FALSE(stops(uut, of({{"accuracy", 0.8}})));
  EXPECT_TRUE(stops(uut, of({{"accuracy", 0.9}})));
  EXPECT_TRUE(stops(uut, of({{"accuracy", 1}})));
}

TEST(stop, B1_6_finds_nested_metrics_by_a_slash) {
  auto uut = made({{"eval/accuracy", "6"}});

  EXPECT_FALSE(stops(uut, of({{"eval", object{{"accuracy", 5}}}})));
  EXPECT_TRUE(stops(uut, of({{"eval", object{{"accuracy", 6}}}})));
}

TEST(stop, B1_6_goes_on_where_the_metric_is_missing_or_no_number) {
  auto uut = made({{"accuracy", "0.9"}});

  EXPECT_FALSE(stops(uut, of({{"loss", 1}})));
  EXPECT_FALSE(stops(uut, of({{"accuracy", "high"}})));
  EXPECT_FALSE(stops(uut, of({})));
}

TEST(stop, B5_4_ends_a_trial_after_its_iterations) {
  auto uut = made({{"training_iteration", "6"}});

  for (std::uint64_t i = 1; i < 6; ++i)
    EXPECT_FALSE(stops(uut, of({}, i)));
  EXPECT_EQ(see(uut, of({}, 6))->why, "training_iteration 6 >= 6");
  EXPECT_TRUE(stops(uut, of({}, 9)));
}

TEST(stop, takes_times_as_numbers_and_as_durations) {
  auto seconds = made({{"time_total_s", "600"}});
  auto minutes = made({{"time_total_s", "10m"}});
  auto early = of({});
  early.time_total = std::chrono::seconds{599};
  auto late = of({});
  late.time_total = std::chrono::seconds{600};

  EXPECT_FALSE(stops(seconds, early));
  EXPECT_FALSE(stops(minutes, early));
  EXPECT_TRUE(stops(seconds, late));
  EXPECT_TRUE(stops(minutes, late));
  EXPECT_TRUE(stops(made({{"when", "time_total_s > 9.9m"}}), late));
}

TEST(stop, knows_all_comparisons) {
  EXPECT_TRUE(stops("x >= 2", {{"x", 2}}));
  EXPECT_FALSE(stops("x > 2", {{"x", 2}}));
  EXPECT_TRUE(stops("x <= 2", {{"x", 2}}));
  EXPECT_FALSE(stops("x < 2", {{"x", 2}}));
  EXPECT_TRUE(stops("x == 2", {{"x", 2}}));
  EXPECT_FALSE(stops("x != 2", {{"x", 2}}));
  EXPECT_TRUE(stops("x != 2", {{"x", 3}}));
  EXPECT_TRUE(stops("x<-1.5e-3", {{"x", -0.1}}));
  EXPECT_TRUE(stops("done == 0", {{"done", false}}));
}

TEST(stop, binds_and_more_tightly_than_or) {
  auto text = "a >= 1 or b >= 1 and c >= 1";

  EXPECT_TRUE(stops(text, {{"a", 1}, {"b", 0}, {"c", 0}}));
  EXPECT_FALSE(stops(text, {{"a", 0}, {"b", 1}, {"c", 0}}));
  EXPECT_TRUE(stops(text, {{"a", 0}, {"b", 1}, {"c", 1}}));
  EXPECT_TRUE(stops("b >= 1 and c >= 1 or a >= 1", {{"a", 1}}));
}

TEST(stop, tells_nan_from_all_numbers) {
  const auto nan = std::nan("");
  EXPECT_TRUE(stops("x == nan", {{"x", nan}}));
  EXPECT_TRUE(stops("x == NaN or y >= 1", {{"x", nan}, {"y", 0}}));
  EXPECT_FALSE(stops("x == nan", {{"x", 1}}));
  EXPECT_FALSE(stops("x == nan", {{"x", infinity}}));
  EXPECT_FALSE(stops("x == nan", {{"y", nan}}));
  EXPECT_FALSE(stops("x == nan", {{"x", "nan so far"}}));
  EXPECT_FALSE(stops("x != nan", {{"x", nan}}));
  EXPECT_TRUE(stops("x != nan and y >= 1", {{"x", 0.5}, {"y", 1}}));
  EXPECT_FALSE(stops("x != nan", {{"y", 1}}));
  EXPECT_EQ(see(made({{"when", "x == nan"}}), of({{"x", nan}}))->why, "x nan == nan");
  EXPECT_EQ(see(made({{"all_when", "x == nan"}}), of({{"x", nan}}))->scope,
            stop_verdict::reach::experiment);
}

TEST(stop, is_never_satisfied_by_nan) {
  for (const auto* how : {">=", ">", "<=", "<", "==", "!="})
    EXPECT_FALSE(stops("x " + std::string{how} + " 1", {{"x", std::nan("")}})) << how;
  EXPECT_FALSE(stops(made({{"x", "1"}}), of({{"x", std::nan("")}})));
}

TEST(stop, compares_infinities) {
  EXPECT_TRUE(stops("x >= 1e300", {{"x", infinity}}));
  EXPECT_TRUE(stops("x < -1e300", {{"x", -infinity}}));
  EXPECT_FALSE(stops("x < 1", {{"x", infinity}}));
}

TEST(stop, reads_quoted_names) {
  EXPECT_TRUE(stops("\"val loss\" <= 0.5", {{"val loss", 0.4}}));
  EXPECT_TRUE(stops("\"a=b\">=1", {{"a=b", 1}}));
}

TEST(stop, says_which_values_met_the_condition) {
  auto uut = made({{"when", "accuracy >= 2 or accuracy >= 0.995 and loss < 1e-1"}});

  auto verdict = see(uut, of({{"accuracy", 0.996}, {"loss", 0.05}}));

  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->scope, stop_verdict::reach::trial);
  EXPECT_EQ(verdict->why, "accuracy 0.996 >= 0.995 and loss 0.05 < 0.1");
}

TEST(stop, ends_everything_by_all_when) {
  auto uut = made({{"all_when", "accuracy >= 0.9"}});

  EXPECT_EQ(see(uut, of({{"accuracy", 1}}))->scope, stop_verdict::reach::experiment);
}

TEST(stop, joins_lines_by_or) {
  auto uut = made({{"training_iteration", "5"}, {"when", "loss <= 0.1"}});

  EXPECT_TRUE(stops(uut, of({{"loss", 0.05}}, 1)));
  EXPECT_TRUE(stops(uut, of({{"loss", 9}}, 5)));
  EXPECT_FALSE(stops(uut, of({{"loss", 9}}, 4)));
}

TEST(stop, has_nothing_to_stop_without_lines) {
  EXPECT_TRUE(made({}).empty());
}

TEST(stop, explains_what_is_wrong_with_a_number) {
  EXPECT_THAT(fault_of("accuracy", "high"), HasSubstr("\"high\" is not a number"));
  EXPECT_THAT(fault_of("accuracy", ">= 0.9"), HasSubstr("when = accuracy"));
  EXPECT_THAT(fault_of("accuracy", "10m"), HasSubstr("\"10m\" is not a number"));
  EXPECT_THAT(fault_of("accuracy", "nan"), HasSubstr("not a number"));
  EXPECT_THAT(fault_of("accuracy", ""), HasSubstr("not a number"));
  EXPECT_THAT(fault_of("time_total_s", "10 parsecs"), HasSubstr("number or a duration"));
  EXPECT_EQ(fault_of("training_iteration", "0"), "0: must be >= 1");
}

TEST(stop, explains_what_is_wrong_with_a_condition) {
  EXPECT_EQ(fault_of("when", "accuracy = 1"),
            "column 10: expected >=, >, <=, <, == or !=, found \"= 1\"");
  EXPECT_EQ(fault_of("when", "accuracy >= high"), "column 13: expected a number, found \"high\"");
  EXPECT_EQ(fault_of("when", "a >= 1 b >= 2"),
            "column 8: expected \"and\" or \"or\", found \"b >= 2\"");
  EXPECT_EQ(fault_of("when", "a >= 1 or"),
            "column 10: expected the name of a metric, found the end");
  EXPECT_EQ(fault_of("when", ""), "column 1: expected the name of a metric, found the end");
  EXPECT_EQ(fault_of("when", "(a >= 1)"),
            "column 1: expected the name of a metric, found \"(a >= 1)\"");
  EXPECT_EQ(fault_of("when", "\"a >= 1"), "column 1: expected a closing quote, found \"\"a >= 1\"");
  for (const auto* how : {">=", "> ", "<=", "< "})
    EXPECT_EQ(fault_of("when", "a " + std::string{how} + " nan"),
              "column 6: expected a number, found \"nan\"");
  EXPECT_EQ(fault_of("when", "a == none"), "column 6: expected a number, found \"none\"");
  EXPECT_THAT(fault_of("all_when", "a >="), HasSubstr("found the end"));
}

/// The number of reports a trial makes before it is stopped; `most` if never.
std::size_t reports_until_stop(const stoppers& uut, const std::vector<double>& values,
                               std::size_t most) {
  for (std::size_t i = 0; i < most; ++i) {
    auto x = values[std::min(i, values.size() - 1)];
    if (stops(uut, of({{"mean_accuracy", x}}, i + 1)))
      return i + 1;
  }
  return most;
}

TEST(plateau, B5_5_ends_a_trial_that_came_to_rest) {
  std::vector<double> curve{10, 11, 12, 20};

  EXPECT_EQ(reports_until_stop(made({{"plateau", "mean_accuracy"}}), curve, 13), 7u);
  EXPECT_EQ(reports_until_stop(made({{"plateau", "mean_accuracy window 4 std 0.01"}}), curve, 13),
            7u);
  EXPECT_EQ(reports_until_stop(made({{"plateau", "mean_accuracy grace 9"}}), curve, 13), 9u);
  EXPECT_EQ(reports_until_stop(made({{"plateau", "mean_accuracy threshold 22 max"}}), curve, 13),
            13u);
  EXPECT_EQ(reports_until_stop(made({{"plateau", "mean_accuracy threshold 20 max"}}), curve, 13),
            7u);
  EXPECT_EQ(reports_until_stop(made({{"plateau", "mean_accuracy threshold 22 min"}}), curve, 13),
            7u);
}

TEST(plateau, takes_zero_for_a_threshold_like_any_other) {
  std::vector<double> at_one{1};

  EXPECT_EQ(reports_until_stop(made({{"plateau", "mean_accuracy threshold 0 min"}}), at_one, 9),
            9u);
  EXPECT_EQ(reports_until_stop(made({{"plateau", "mean_accuracy threshold 0 max"}}), at_one, 9),
            4u);
}

TEST(plateau, uses_the_deviation_of_the_population) {
  // The deviation of 1, 3, 1, 3 is 1 for a population and 1.155 for a sample.
  std::vector<double> curve{1, 3, 1, 3, 1, 3};

  EXPECT_EQ(reports_until_stop(made({{"plateau", "mean_accuracy std 1.01"}}), curve, 6), 4u);
  EXPECT_EQ(reports_until_stop(made({{"plateau", "mean_accuracy std 1"}}), curve, 6), 6u);
}

TEST(plateau, keeps_trials_apart_and_forgets_the_ended) {
  auto uut = made({{"plateau", "x window 2 grace 2"}});
  EXPECT_FALSE(stops(uut, of({{"x", 1}}, 1, 0)));
  EXPECT_FALSE(stops(uut, of({{"x", 1}}, 1, 1)));
  uut[0]->forget({0});

  EXPECT_FALSE(stops(uut, of({{"x", 1}}, 2, 0)));
  EXPECT_TRUE(stops(uut, of({{"x", 1}}, 2, 1)));
}

TEST(plateau, counts_only_reports_that_have_the_metric) {
  auto uut = made({{"plateau", "x window 2 grace 2"}});

  EXPECT_FALSE(stops(uut, of({{"x", 1}})));
  EXPECT_FALSE(stops(uut, of({{"y", 1}})));
  EXPECT_TRUE(stops(uut, of({{"x", 1}})));
}

TEST(plateau, tells_its_reason_in_numbers_of_six_digits) {
  auto uut = made({{"plateau", "x std 0.3 window 3 grace 3"}});
  auto best = made({{"experiment_plateau", "x std 0.3 top 3 patience 0 max"}});
  std::optional<stop_verdict> trial;
  std::optional<stop_verdict> all;

  for (auto x : {0.1, 0.2, 0.4}) {
    trial = uut[0]->see(of({{"x", x}}));
    all = best[0]->see(of({{"x", x}}));
  }

  ASSERT_TRUE(trial && all);
  EXPECT_EQ(trial->why,
            "plateau: the last 3 values of x have a standard deviation of 0.124722 < 0.3");
  EXPECT_EQ(all->why,
            "plateau: the highest 3 values of x have a standard deviation of 0.124722 <= 0.3");
  EXPECT_EQ(all->former_why,
            "plateau: the best 3 values of x have a standard deviation of 0.124722 <= 0.3");
  EXPECT_THAT(trial->earlier_why, testing::HasSubstr(" of 0.1247219128924647"));
}

TEST(plateau, of_the_experiment_speaks_of_the_lowest_values_unless_told) {
  auto uut = made({{"experiment_plateau", "x std 0.3 top 2"}});
  std::optional<stop_verdict> all;

  for (auto x : {0.1, 0.2})
    all = uut[0]->see(of({{"x", x}}));

  ASSERT_TRUE(all);
  EXPECT_EQ(all->why, "plateau: the lowest 2 values of x have a standard deviation of 0.05 <= 0.3");
}

TEST(plateau, is_not_reached_with_nan_or_infinity_in_the_window) {
  auto uut = made({{"plateau", "x window 2 grace 2"}});

  for (auto x : {1.0, std::nan(""), infinity, infinity, 1.0})
    EXPECT_FALSE(stops(uut, of({{"x", x}})));
  EXPECT_TRUE(stops(uut, of({{"x", 1.0}})));
}

TEST(plateau, takes_names_with_blanks_in_quotes) {
  auto uut = made({{"plateau", "\"sp ace\" std 0.1"}, {"experiment_plateau", "\"a b\" top 3"}});

  ASSERT_EQ(uut.size(), 2u);
  EXPECT_EQ(uut[0]->needs().at(0).metric, "sp ace");
  EXPECT_EQ(uut[1]->needs().at(0).metric, "a b");
  EXPECT_EQ(fault_of("plateau", "\"sp ace std 0.1"),
            "expected a closing quote after \"sp ace std 0.1");
  EXPECT_THAT(fault_of("plateau", "\"\" std 0.1"), HasSubstr("expected the name of a metric"));
}

TEST(plateau, explains_what_is_wrong) {
  EXPECT_THAT(fault_of("plateau", ""), HasSubstr("expected the name of a metric"));
  EXPECT_EQ(fault_of("plateau", "x std 0"), "std must be a number > 0, not \"0\"");
  EXPECT_EQ(fault_of("plateau", "x std"), "std must be a number > 0, not \"\"");
  EXPECT_EQ(fault_of("plateau", "x window 1"), "window must be a whole number >= 2, not \"1\"");
  EXPECT_EQ(fault_of("plateau", "x grace -1"), "grace must be a whole number >= 0, not \"-1\"");
  EXPECT_EQ(fault_of("plateau", "x threshold 5"),
            "after threshold 5 must follow min or max, not \"\"");
  EXPECT_EQ(fault_of("plateau", "x std 1 std 2"), "std is given twice");
  EXPECT_THAT(fault_of("plateau", "x windw 3"), HasSubstr("did you mean \"window\"?"));
}

/// Number of results, each of another trial, until the experiment ends; `most` if it never does.
std::size_t results_until_end(const std::string& text, const std::vector<double>& values,
                              std::size_t most) {
  auto uut = made({{"experiment_plateau", text}});
  for (std::size_t i = 0; i < most; ++i) {
    auto verdict = see(uut, of({{"mean_accuracy", values[std::min(i, values.size() - 1)]}}, 1, i));
    uut[0]->forget({i});
    if (verdict) {
      EXPECT_EQ(verdict->scope, stop_verdict::reach::experiment);
      return i + 1;
    }
  }
  return most;
}

TEST(experiment_plateau, B5_3_ends_when_the_best_values_of_all_trials_are_alike) {
  EXPECT_EQ(results_until_end("mean_accuracy", {1}, 50), 10u);
  EXPECT_EQ(results_until_end("mean_accuracy top 3", {1}, 50), 3u);
  EXPECT_EQ(results_until_end("mean_accuracy top 2 max", {1, 5, 2, 3, 5, 4}, 50), 5u);
  EXPECT_EQ(results_until_end("mean_accuracy top 2 min", {5, 1, 2, 4, 1, 4}, 50), 5u);
}

TEST(experiment_plateau, B5_3_waits_out_its_patience) {
  EXPECT_EQ(results_until_end("mean_accuracy top 3 patience 1", {1}, 50), 3u);
  EXPECT_EQ(results_until_end("mean_accuracy top 3 patience 5", {1}, 50), 7u);
  // A new best at the sixth result restarts the count; three equal results must follow.
  EXPECT_EQ(results_until_end("mean_accuracy top 3 patience 5", {1, 1, 1, 1, 1, 0}, 50), 12u);
}

TEST(experiment_plateau, ignores_values_that_are_not_finite) {
  EXPECT_EQ(results_until_end("mean_accuracy top 3", {std::nan(""), -infinity, 1}, 50), 5u);
}

TEST(experiment_plateau, B5_3_explains_what_is_wrong) {
  EXPECT_EQ(fault_of("experiment_plateau", "x top 1"),
            "top must be a whole number >= 2, not \"1\"");
  EXPECT_EQ(fault_of("experiment_plateau", "x top 2.5"),
            "top must be a whole number >= 2, not \"2.5\"");
  EXPECT_EQ(fault_of("experiment_plateau", "x std -1"), "std must be a number > 0, not \"-1\"");
  EXPECT_EQ(fault_of("experiment_plateau", "x patience -1"),
            "patience must be a whole number >= 0, not \"-1\"");
  EXPECT_EQ(fault_of("experiment_plateau", "x min max"), "min or max is given twice");
  EXPECT_THAT(fault_of("experiment_plateau", "x avg"), HasSubstr("\"avg\" is not known here"));
}

TEST(stoppers, show_what_they_remember_in_their_fingerprint) {
  for (const auto* key : {"plateau", "experiment_plateau"}) {
    auto uut = made({{key, "x"}});
    auto digest = [&] {
      fingerprint result;
      uut[0]->describe(result);
      return result.digest();
    };
    auto before = digest();

    EXPECT_FALSE(stops(uut, of({{"x", 1}})));

    EXPECT_NE(digest(), before) << key;
  }
}

} // namespace
} // namespace tune
