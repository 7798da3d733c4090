/// Rungs and brackets: who was compared with whom at which budget, who went on, and what the run
/// would have cost without stopping.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/store/scan_rows.hpp"
#include "view/query.hpp"
#include "view/watched_experiment.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tune::cli {

/// A bracket by its numbers.
struct bracket_name {
  /// Of HyperBand, which begins a further band of brackets once one is full; -1: there are none.
  std::int64_t band = -1;
  std::int64_t bracket = 0;
  friend auto operator<=>(const bracket_name&, const bracket_name&) = default;
};

/// What a decision says about a rung.
struct rung_remark {
  enum class kind : std::uint8_t {
    stopped,
    waits,
    /// Also: it was the last rung, and the trial is complete.
    went_on
  };
  bracket_name bracket;
  double at = 0;
  kind what = kind::stopped;
  /// NaN where the decision names none.
  double cutoff = 0;
  double value = 0;
};

/// Reads a decision; empty if it is not about a rung. Of a trial's last iteration (`max_t`) is
/// none.
[[nodiscard]] std::optional<rung_remark> remark_in(const raw_decision& x);

/// What is known of a trial beside the decisions on it.
struct rung_fate {
  /// It will not run again by itself.
  bool ended = false;
  /// It runs: a trial that waited has been called.
  bool runs = false;
  /// It came to the end that the scheduler had set.
  bool completed = false;
  /// How far it came in the unit of the rungs; NaN: unknown.
  double reached = 0;
};

/// One rung, collected from decisions in the order of the log.
class rung_book {
public:
  struct place {
    rung_remark::kind what = rung_remark::kind::stopped;
    double value = 0;
  };
  struct rung {
    /// The newest cutoff; NaN: none was named.
    double cutoff = 0;
    /// The last word about each trial.
    std::map<trial_id, place> trials;
  };
  using key = std::pair<bracket_name, double>;

  void read(trial_id trial, const rung_remark& what);
  /// Corrects who is said to wait: not who came to a higher rung or beyond this one, runs, or has
  /// ended; and nobody at the end of the way.
  /// @param end Where trials are complete. NaN: unknown.
  void settle(const std::function<rung_fate(trial_id)>& fate_of, double end);
  [[nodiscard]] const std::map<key, rung>& rungs() const { return rungs_; }
  [[nodiscard]] std::map<key, rung>& rungs() { return rungs_; }
  /// Whether all rungs belong to one bracket.
  [[nodiscard]] bool is_one_bracket() const;

private:
  std::map<key, rung> rungs_;
};

/// The trials that the scheduler gave up before their end, by number; not where they were to run
/// again since. @errors of the reader.
[[nodiscard]] expected<std::map<trial_id, bool>> given_up_in(store_reader& from,
                                                             const retry_map& again);

/// How far trials go that nobody stops: as the scheduler was told, or the farthest that one came.
[[nodiscard]] std::uint64_t most_iterations(const experiment_summary& seen);

/// What was spent, and what would have been if nothing had been given up.
struct run_cost {
  double spent_s = 0;
  std::uint64_t iterations = 0;
  /// Empty where no trial was given up, or it is not known how far one would have gone.
  std::optional<double> without_s;
  std::optional<std::uint64_t> iterations_without;
};

/// Takes each trial that was given up at its own pace to `most` iterations.
/// @param given_up By number of the trial. @param most 0: unknown.
[[nodiscard]] run_cost cost_of(const trial_table& trials, const std::map<trial_id, bool>& given_up,
                               std::uint64_t most);

/// The same cost with the training of all attempts in place of what their trials came to.
[[nodiscard]] run_cost with_attempts(run_cost x, const trained_track& all);

/// `GET …/rungs`.
[[nodiscard]] view_answer rungs(watched_experiment& from, const view_request& what);

} // namespace tune::cli
