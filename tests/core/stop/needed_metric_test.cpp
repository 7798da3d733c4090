// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/stop/needed_metric.hpp"
#include "tune/core/stop/stopper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using lines = std::vector<std::string>;

report with(object metrics) {
  report result;
  result.number = 1;
  result.iteration = 1;
  result.metrics = std::make_shared<const object>(std::move(metrics));
  return result;
}

lines missing(const std::string& metric, object metrics) {
  return missing_metrics({{"[stop] when", metric, "nothing stops"}}, with(std::move(metrics)));
}

TEST(missing_metrics, says_nothing_where_all_are_there) {
  EXPECT_THAT(missing("loss", {{"loss", 0.5}}), IsEmpty());
  EXPECT_THAT(missing("loss", {{"loss", std::numeric_limits<double>::quiet_NaN()}}), IsEmpty());
  EXPECT_THAT(missing("valid/loss", {{"valid", object{{"loss", 1}}}}), IsEmpty());
}

TEST(missing_metrics, never_misses_automatic_ones) {
  for (const auto* name : {"training_iteration", "time_total_s", "time_this_iter_s", "timestamp"})
    EXPECT_THAT(missing(name, {{"loss", 0.5}}), IsEmpty()) << name;
}

TEST(missing_metrics, names_the_key_the_nearest_name_and_what_follows) {
  EXPECT_THAT(missing("lsos", {{"epoch", 1}, {"loss", 0.5}}),
              ElementsAre("[stop] when: the first report has no metric \"lsos\"; did you mean "
                          "\"loss\"? As long as that is so, nothing stops."));
}

TEST(missing_metrics, finds_near_names_in_nested_metrics) {
  EXPECT_THAT(missing("valid/los", {{"valid", object{{"loss", 1}}}})[0],
              testing::HasSubstr("did you mean \"valid/loss\"?"));
}

TEST(missing_metrics, names_what_there_is_where_no_name_is_near) {
  EXPECT_THAT(missing("accuracy", {{"a", 1}, {"b", 2}}),
              ElementsAre("[stop] when: the first report has no metric \"accuracy\"; it has: a, b. "
                          "As long as that is so, nothing stops."));
  EXPECT_THAT(missing("accuracy",
                      {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}, {"f", 6}, {"g", 7}})[0],
              testing::HasSubstr("it has: a, b, c, d, e and 2 more."));
  EXPECT_THAT(missing("accuracy", {})[0], testing::HasSubstr("it has none at all."));
}

TEST(missing_metrics, tells_texts_from_numbers) {
  EXPECT_THAT(missing("loss", {{"loss", "low"}}),
              ElementsAre("[stop] when: \"loss\" is no number in the first report, but the text "
                          "\"low\". As long as that is so, nothing stops."));
}

TEST(missing_metrics, tells_how_a_text_is_written_that_is_meant_as_a_number) {
  for (const auto& [written, number] : std::vector<std::pair<std::string, std::string>>{
           {"-Infinity", "-inf"}, {"Infinity", "inf"}, {"+INF", "inf"}, {"-NaN", "nan"}}) {
    EXPECT_THAT(missing("loss", {{"loss", written}})[0],
                testing::HasSubstr("but the text \"" + written + "\"; as a number it is written \""
                                   + number + "\". As"));
  }
}

TEST(missing_metrics, says_the_same_only_once) {
  needed_metric twice{"[stop] when", "lsos", "nothing stops"};

  EXPECT_EQ(missing_metrics({twice, twice}, with({{"loss", 1}})).size(), 1u);
}

TEST(stoppers, tell_which_metrics_they_look_at) {
  auto made = make_stoppers({{"epoch", "3"},
                             {"when", "loss < 1 and size > 2 or loss < 0"},
                             {"all_when", "score >= 1"},
                             {"plateau", "drift std 0.1"},
                             {"experiment_plateau", "gain top 3"}});
  ASSERT_TRUE(made);

  std::vector<std::pair<std::string, std::string>> needed;
  for (const auto& x : *made) {
    for (const auto& y : x->needs())
      needed.emplace_back(y.key, y.metric);
  }

  using testing::Pair;
  EXPECT_THAT(needed, ElementsAre(Pair("[stop] epoch", "epoch"), Pair("[stop] when", "loss"),
                                  Pair("[stop] when", "size"), Pair("[stop] when", "loss"),
                                  Pair("[stop] all_when", "score"), Pair("[stop] plateau", "drift"),
                                  Pair("[stop] experiment_plateau", "gain")));
}

} // namespace
} // namespace tune
