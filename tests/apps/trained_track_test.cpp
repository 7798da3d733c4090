// What all attempts of an experiment trained, as the cost of a run has it.
// SPDX-License-Identifier: BSD-3-Clause
#include "view/rungs.hpp"
#include "view/trained_track.hpp"

#include <gtest/gtest.h>

#include <map>

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
    uut.read(x, [this](attempt_id which) {
      ++asked;
      const auto found = origins.find(which);
      return found == origins.end() ? std::nullopt : std::optional{found->second};
    });
  }

  /// An attempt that went on from a checkpoint of its own trial.
  static attempt_origin restored(lineage_id lineage) { return {lineage, {}, true}; }
  static attempt_origin clone_of(std::uint64_t donor, lineage_id lineage) {
    return {lineage, trial_id{donor}, true};
  }

  trained_track uut;
  std::map<attempt_id, attempt_origin> origins;
  /// How often somebody asked where an attempt began.
  int asked = 0;
};

TEST_F(trained_track_test, counts_what_was_done_again) {
  origins = {{{1, 1}, {}}, {{1, 2}, restored(1)}};
  report(0, 1, 1, 1s);
  report(0, 1, 2, 2s);
  report(0, 1, 3, 3s);
  // It goes on from what it saved after the first.
  report(0, 2, 2, 2s);
  report(0, 2, 3, 3s);

  EXPECT_EQ(uut.time(), 5s);
  EXPECT_EQ(uut.reports(), 5u);
  EXPECT_EQ(uut.iterations(), 5u);
  EXPECT_EQ(uut.done_again(), 2s);
  EXPECT_EQ(uut.given_up(), 0s);
  EXPECT_FALSE(uut.has_clones());
}

TEST_F(trained_track_test, counts_all_that_a_trial_had_trained_before_it_began_anew) {
  origins = {{{1, 1}, {}}, {{1, 2}, restored(1)}, {{1, 3}, {2}}};
  report(0, 1, 1, 1s);
  report(0, 1, 2, 2s);
  report(0, 2, 2, 2s);
  // A client wanted it to begin from scratch.
  report(0, 3, 1, 1s);
  report(0, 3, 2, 2s);

  // Both iterations of the first lineage, and the one that was done twice in it.
  EXPECT_EQ(uut.done_again(), 3s);
  EXPECT_EQ(uut.given_up(), 0s);
}

TEST_F(trained_track_test, counts_what_was_given_up_for_another_trials_checkpoint) {
  origins = {{{1, 1}, {}},          {{1, 2}, {}},
             {{1, 3}, restored(1)}, {{1, 4}, clone_of(0, 2)},
             {{1, 5}, restored(2)}, {{1, 6}, clone_of(0, 3)}};
  report(0, 1, 1, 1s);
  report(1, 2, 1, 1s);
  report(1, 2, 2, 2s);
  // It paused, and did an iteration again.
  report(1, 3, 2, 2s);
  report(1, 3, 3, 3s);
  // Iterations of another lineage are no repetition.
  report(1, 4, 2, 2s);
  report(1, 5, 3, 3s);
  EXPECT_EQ(uut.given_up(), 3s);
  EXPECT_EQ(uut.done_again(), 1s);

  report(1, 6, 2, 2s);
  EXPECT_EQ(uut.given_up(), 5s);
  EXPECT_EQ(uut.done_again(), 1s);
  EXPECT_EQ(uut.time(), 8s);
  EXPECT_TRUE(uut.has_clones());
}

TEST_F(trained_track_test, counts_what_was_given_up_by_trials_that_did_not_report_since) {
  origins = {{{1, 1}, {}}, {{1, 2}, restored(1)}, {{1, 3}, clone_of(7, 2)}};
  report(0, 1, 1, 1s);
  report(0, 1, 2, 2s);
  const auto source = [this](attempt_id which) { return std::optional{origins.at(which)}; };

  uut.begin({0}, {1, 2}, source);
  EXPECT_EQ(uut.given_up(), 0s);
  uut.begin({0}, {1, 3}, source);
  EXPECT_EQ(uut.given_up(), 2s);
  EXPECT_TRUE(uut.has_clones());
  uut.begin({5}, {1, 3}, source);

  report(0, 3, 8, 8s);
  EXPECT_EQ(uut.given_up(), 2s) << "counted before";
  EXPECT_EQ(uut.done_again(), 0s);
}

TEST_F(trained_track_test, counts_nothing_where_a_checkpoint_could_not_be_taken_over) {
  // The trial goes on as itself, under the number of another lineage.
  origins = {{{1, 1}, {}}, {{1, 2}, restored(2)}};
  report(0, 1, 1, 1s);
  report(0, 1, 2, 2s);
  report(0, 2, 2, 2s);
  report(0, 2, 3, 3s);

  EXPECT_EQ(uut.given_up(), 0s);
  EXPECT_EQ(uut.done_again(), 1s);
  EXPECT_FALSE(uut.has_clones());
}

TEST_F(trained_track_test, asks_where_attempts_began_only_as_they_change) {
  origins = {{{1, 1}, {}}, {{1, 2}, restored(1)}, {{1, 3}, restored(1)}};
  for (std::uint64_t i = 1; i <= 9; ++i)
    report(0, 1, i, std::chrono::seconds{i});
  EXPECT_EQ(asked, 0);

  report(0, 2, 9, 9s);
  report(0, 2, 10, 10s);
  EXPECT_EQ(asked, 2) << "where the first began, too";
  report(0, 3, 10, 10s);
  EXPECT_EQ(asked, 3);
}

TEST_F(trained_track_test, counts_the_training_of_a_donor_once) {
  origins = {{{1, 1}, {}}, {{1, 2}, {}}, {{1, 3}, clone_of(0, 2)}, {{1, 4}, clone_of(0, 2)}};
  report(0, 1, 1, 1s);
  report(0, 1, 2, 2s);
  report(1, 2, 1, 1s);
  // It took over what trial 0 had.
  report(1, 3, 3, 3s);
  // This one did so before its first report.
  report(2, 4, 3, 3s);

  EXPECT_EQ(uut.time(), 5s);
  EXPECT_EQ(uut.iterations(), 5u);
  EXPECT_EQ(uut.given_up(), 1s);
  EXPECT_TRUE(uut.has_clones());
}

TEST_F(trained_track_test, knows_a_trial_that_took_another_over_before_its_first_report) {
  origins = {{{1, 1}, {}}, {{1, 2}, clone_of(0, 2)}};
  report(0, 1, 1, 1s);
  report(1, 2, 2, 2s);

  EXPECT_TRUE(uut.has_clones());
  EXPECT_EQ(uut.given_up(), 0s);
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
