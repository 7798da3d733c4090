// How the best so far came about, where iterations are run again.
// SPDX-License-Identifier: BSD-3-Clause
#include "view/result_track.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;

struct result_track_test : testing::Test {
  result_track uut{{{{"loss", false}}, {}, {}}};
  std::map<attempt_id, lineage_id> lineages;
  std::chrono::seconds now{0};

  /// The next report of trial 0, a second after the last one.
  void report(std::uint64_t attempt, std::uint64_t iteration, double loss,
              const std::string& metric = "loss") {
    const auto number = std::isnan(loss) ? "\"nan\"" : std::to_string(loss);
    const auto text = "{\"" + metric + "\":" + number + "}";
    raw_result x;
    x.at = now += 1s;
    x.attempt = {1, attempt};
    x.iteration = iteration;
    x.metrics = text;
    uut.read(x, [this](trial_id, attempt_id which) { return std::optional{lineages.at(which)}; });
  }
  std::string steps() const {
    std::string result;
    for (const auto& x : uut.steps())
      result += std::to_string(static_cast<int>(x.value)) + " ";
    return result;
  }
};

TEST_F(result_track_test, counts_of_iterations_that_were_run_again_the_first_report_alone) {
  lineages = {{{1, 1}, 1}, {{1, 2}, 1}};
  report(1, 1, 10);
  report(1, 2, 6);
  // A retry from the beginning.
  report(2, 1, 3);
  report(2, 2, 2);
  EXPECT_EQ(steps(), "10 6 ");
  EXPECT_EQ(uut.when_best({0}), instant{2s});

  report(2, 3, 1);
  EXPECT_EQ(steps(), "10 6 1 ");
  EXPECT_EQ(uut.when_best({0}), instant{5s});
}

TEST_F(result_track_test, counts_from_the_attempt_on_that_first_reports_the_metric) {
  lineages = {{{1, 1}, 1}, {{1, 2}, 1}, {{1, 3}, 1}};
  report(1, 1, 10, "other");
  report(1, 2, std::nan(""));
  report(2, 1, 3);
  report(2, 2, 2);
  report(3, 2, 1);

  EXPECT_EQ(steps(), "3 2 ");
}

TEST_F(result_track_test, counts_iterations_of_another_lineage) {
  lineages = {{{1, 1}, 1}, {{1, 2}, 2}, {{1, 3}, 2}};
  report(1, 1, 10);
  report(1, 2, 6);
  // It began anew, or goes on as another trial's clone.
  report(2, 1, 5);
  report(2, 2, 4);
  report(3, 2, 3);
  report(3, 3, 2);

  EXPECT_EQ(steps(), "10 6 5 4 2 ");
}

} // namespace
} // namespace tune::cli
