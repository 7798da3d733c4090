/// An experiment as the words of a report see it: numbers and names, read from its record. Plain
/// data, so that rules can be tried on made-up experiments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "tune/core/experiment/constraints.hpp"
#include "tune/core/experiment/run_book.hpp"
#include "tune/core/ids.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tune::cli {

/// How much a parameter mattered, as `tune-node importance` tells it.
struct study_importance {
  /// [0 to 1]
  double share = 0;
  bool more_than_chance = false;
  /// What the best configurations have: "0.001 to 0.01"; empty: unknown.
  std::string best = {};
};

/// A parameter of the space.
struct study_parameter {
  enum class kind : std::uint8_t {
    /// A number between two fixed bounds.
    range,
    /// One of a list of values.
    list,
    /// Always the same value.
    fixed,
    /// Anything else: a normal distribution, a list of lists, bounds that depend on others.
    other
  };
  std::string name;
  /// The domain as the user wrote it.
  std::string domain = {};
  kind what = kind::range;
  bool log = false;
  bool whole = false;
  /// Of a range: its ends, which both can be drawn.
  double low = 0;
  double high = 1;
  /// Of a list: its values as texts.
  std::vector<std::string> values = {};
  /// Configurations may lack it.
  bool conditional = false;
  /// Too few configurations have it to tell its importance.
  bool rare = false;
  std::optional<study_importance> importance = {};
};

/// What became of a trial.
enum class trial_fate : std::uint8_t {
  /// It came to its own end, or to that of a stop condition.
  finished,
  /// The scheduler gave it up.
  stopped,
  /// It was ended from outside: by a client, or since all of them were.
  ended,
  failed,
  running,
  paused,
  /// It had begun, and waits to go on: its experiment was left off, or its attempt lost.
  interrupted,
  /// It has not begun.
  pending
};
inline constexpr std::size_t trial_fate_count = 8;

/// One trial that was not withdrawn.
struct study_trial {
  trial_id trial;
  trial_fate fate = trial_fate::finished;
  /// It runs again to confirm a result.
  bool confirms = false;
  std::uint64_t iterations = 0;
  /// Training time. [seconds]
  double time_s = 0;
  /// Of its best report; NaN as the score: it has none.
  merit how = {};
  /// Per parameter of the study its number, or the place of its value in the list; NaN: it has
  /// none.
  std::vector<double> at = {};
  /// Its best report was its last.
  bool ends_best = true;
};

/// What the run has cost in training time, and what it would have cost without stopping.
struct study_cost {
  double spent_s = 0;
  std::uint64_t iterations = 0;
  /// Estimates; nothing where no trial was given up.
  std::optional<double> without_s = {};
  std::optional<std::uint64_t> iterations_without = {};
  /// Training time of all attempts [s], and their reports: with what was done again after an
  /// attempt had failed, and what was given up for another trial's checkpoint. 0: not known.
  double attempts_s = 0;
  std::uint64_t reports = 0;
  /// Parts of that time, as `trained_track` counts them. [s]
  double done_again_s = 0;
  double given_up_s = 0;
  /// Trials took over others' checkpoints, and with them training that `spent_s` counts again.
  bool has_clones = false;
};

/// A report of the winner: its iteration, and its score, larger being better.
using curve_point = std::pair<std::uint64_t, double>;

/// The best trial.
struct study_winner {
  /// Its place in the study's `trials`; nothing: no trial has a number.
  std::optional<std::size_t> place = {};
  /// Its configuration: "lr=0.01 hidden=64".
  std::string config = {};
  /// Parameters of the study that its configuration does not have.
  std::vector<std::string> lacks = {};
  std::uint64_t iteration = 0;
  /// The constraints that its best report misses, as `misses_text` tells them; empty: none.
  std::string misses = {};
  /// Its checkpoint, relative to the experiment's directory, and the iteration of that; empty: none
  /// is kept.
  std::string checkpoint = {};
  std::uint64_t checkpoint_iteration = 0;
  /// In the order of iterations.
  std::vector<curve_point> curve = {};
};

/// The whole.
struct study {
  std::string name;
  /// The first objective.
  std::string metric;
  bool maximise = true;
  /// All objectives: "minimise loss, maximise accuracy".
  std::string objectives = {};
  /// With several objectives: trials that no other one beats in all of them. 0: there is one
  /// objective.
  std::size_t front = 0;
  /// As the user wrote them; empty: none.
  std::string constraints = {};
  std::string searcher = {};
  std::string scheduler = {};
  std::uint64_t seed = 0;
  /// Configurations asked for; 0: no limit.
  std::uint64_t wanted = 0;
  /// Whether there may be fewer; see `variant_search::extent`.
  bool wants_at_most = false;
  /// Runs of each configuration in the search.
  std::uint32_t runs_each = 1;
  /// Whether all combinations of values are run.
  bool is_grid = false;
  /// [seconds]; 0: no limit.
  double time_limit_s = 0;
  std::uint32_t nodes = 1;
  /// "done", "running", …, and why.
  std::string status = {};
  std::string why = {};
  double elapsed_s = 0;
  std::vector<study_parameter> parameters = {};
  /// See `run_snapshot`.
  std::vector<std::string> object_parameters = {};
  /// In the order of their numbers.
  std::vector<study_trial> trials = {};
  study_winner winner = {};
  /// Statistics of the best configurations' runs, the best first, each configuration once; empty:
  /// each ran once.
  std::vector<run_statistics> runs = {};
  /// Why there are no importances; empty: there are.
  std::string no_importance = {};
  /// "ped-anova" or "model".
  std::string importance_by = {};
  study_cost cost = {};
  std::vector<failure_group> failures = {};
};

/// Whether a trial has ended, and reported, or came to its end without a report, but never had a
/// number other than NaN for the first objective.
[[nodiscard]] bool never_had_a_number(const study_trial& x);

/// The metric itself of a score.
[[nodiscard]] inline double metric_of(const study& x, double score) {
  return x.maximise ? score : 0.0 - score;
}

/// The places of the trials of the search with a number, the best first; those that miss a
/// constraint come last.
[[nodiscard]] std::vector<std::size_t> ranked_trials(const study& x);

/// Where a number lies in the range of a parameter, on its own scale. [0 to 1 within its ends; NaN
/// if it is no number or the range is a single one]
[[nodiscard]] double place_in(const study_parameter& range, double number);

} // namespace tune::cli
