// What all attempts of an experiment trained, as the cost of a run has it.
// SPDX-License-Identifier: BSD-3-Clause
#include "view/rungs.hpp"
#include "view/trained_track.hpp"

#include <gtest/gtest.h>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;

struct trained_track_test : testing::Test {
  /// A report of one second of training.
  /// @param total Training time of the trial up to it.
  void report(std::uint64_t trial, std::uint64_t attempt, std::uint64_t iteration,
              std::chrono::seconds total) {
    raw_result x;
    x.trial = {trial};
    x.attempt = {1, attempt};
    x.iteration = iteration;
    x.time_this_iter = 1s;
    x.time_total = total;
    uut.read(x);
  }

  trained_track uut;
};

TEST_F(trained_track_test, counts_what_was_done_again) {
  report(0, 1, 1, 1s);
  report(0, 1, 2, 2s);
  report(0, 1, 3, 3s);
  // It goes on from what it saved after the first.
  report(0, 2, 2, 2s);
  report(0, 2, 3, 3s);

  EXPECT_EQ(uut.time(), 5s);
  EXPECT_EQ(uut.reports(), 5u);
  EXPECT_EQ(uut.iterations(), 5u);
}

TEST_F(trained_track_test, counts_the_training_of_a_donor_once) {
  report(0, 1, 1, 1s);
  report(0, 1, 2, 2s);
  report(1, 2, 1, 1s);
  // It took over what trial 0 had.
  report(1, 3, 3, 3s);
  // This one did so before its first report.
  report(2, 4, 3, 3s);

  EXPECT_EQ(uut.time(), 5s);
  EXPECT_EQ(uut.iterations(), 5u);
}

TEST_F(trained_track_test, counts_iterations_where_a_report_stands_for_several) {
  report(0, 1, 10, 1s);
  report(0, 1, 20, 2s);
  report(0, 2, 20, 2s);
  report(0, 2, 30, 3s);

  EXPECT_EQ(uut.reports(), 4u);
  EXPECT_EQ(uut.iterations(), 40u);
}

TEST_F(trained_track_test, stands_on_both_sides_of_what_stopping_saved) {
  report(0, 1, 1, 1s);
  report(0, 2, 1, 1s);
  run_cost of_trials;
  of_trials.spent_s = 1;
  of_trials.iterations = 1;
  EXPECT_FALSE(with_attempts(of_trials, uut).without_s);
  of_trials.without_s = 9;
  of_trials.iterations_without = 9;

  const auto found = with_attempts(of_trials, uut);

  EXPECT_EQ(found.spent_s, 2);
  EXPECT_EQ(found.iterations, 2u);
  EXPECT_EQ(found.without_s, 10);
  EXPECT_EQ(found.iterations_without, 10u);
}

} // namespace
} // namespace tune::cli
