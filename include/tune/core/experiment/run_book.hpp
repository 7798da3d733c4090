/// Several runs of one configuration, judged together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/constraints.hpp"
#include "tune/core/fingerprint.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune {

/// The way the runs of one configuration are combined into one value.
enum class run_judge : std::uint8_t {
  mean,
  median,
  /// The bound above which the true mean lies with 95 % confidence (below which, if the metric is
  /// to be minimised), by Student's t distribution.
  lower_bound,
};

/// "mean", "median", "lower_bound".
[[nodiscard]] std::string_view to_text(run_judge x);

/// The number of times that configurations run.
struct repeat_rule {
  /// Runs of each configuration. [>= 1]
  std::uint32_t runs = 1;
  run_judge judge = run_judge::mean;
  /// Parameter that tells a run its number, from 0.
  std::string parameter = "seed";
  /// Number of the best configurations that run again at the end. 0 = none.
  std::uint32_t confirm = 0;
  /// Runs per confirmed configuration. [>= 1]
  std::uint32_t confirm_runs = 3;

  [[nodiscard]] bool is_on() const { return runs > 1 || confirm > 0; }
  friend bool operator==(const repeat_rule&, const repeat_rule&) = default;
};

/// Origin of trials that a client added.
inline constexpr std::string_view client_origin = "client";

/// Prefix of the origin of a trial that confirms a result of the search.
inline constexpr std::string_view confirms_prefix = "confirms ";
[[nodiscard]] inline bool is_confirming(std::string_view origin) {
  return origin.starts_with(confirms_prefix);
}

/// The runs of one configuration. Scores are those of their best reports; larger is better.
struct run_group {
  std::vector<trial_id> trials;
  /// True if these runs confirm; the runs of the search form another group.
  bool confirms = false;
  /// True if all wanted runs have ended, and more than half of them have a score. Other groups rank
  /// behind all full ones.
  bool is_full = false;
  /// Number of runs with a score, from which the values below are computed; once all wanted runs
  /// have ended, only ended runs count. [>= 1]
  std::uint32_t runs = 0;
  /// Number of runs wanted: as the rule says, or fewer if a client fixed the numbers of all runs.
  std::uint32_t wanted = 1;
  /// Merit that the group is judged by: the mean of violations, and the scores as the rule says.
  merit how;
  double mean = 0;
  /// Standard error of the mean; NaN for a single run.
  double error = std::numeric_limits<double>::quiet_NaN();
  /// The best of these runs; the first among equals.
  trial_id best;
};

/// Statistics of a group for people, in the metric's own sign.
struct run_statistics {
  std::uint32_t runs = 0;
  std::uint32_t wanted = 1;
  bool is_full = false;
  bool confirms = false;
  run_judge judge = run_judge::mean;
  double mean = 0;
  /// NaN for a single run.
  double error = std::numeric_limits<double>::quiet_NaN();
  /// The value the group is judged by; NaN if a single run has no lower bound.
  double judged = std::numeric_limits<double>::quiet_NaN();
  /// Mean over the same configuration's runs in the search; NaN unless `confirms`.
  double mean_in_search = std::numeric_limits<double>::quiet_NaN();
  /// Mean of the total violations of constraints; configurations with less are better. [>= 0]
  double violation = 0;
};

/// Whether the rule gives a value for that many scores: a single one has no bound. [n >= 1]
[[nodiscard]] bool has_value(run_judge rule, std::size_t runs);
/// The value of the scores by the rule; a single score is its own value.
/// @param scores Larger is better. [n >= 1]
[[nodiscard]] double judged_by(run_judge rule, std::vector<double> scores);
/// Mean and its standard error; the error of a single score is NaN. [n >= 1]
[[nodiscard]] std::pair<double, double> mean_and_error(const std::vector<double>& scores);

/// Factor by which the variance of `judged_by` is less than that of a single run, for normally
/// distributed scores: n for a mean; for a median n up to two, else about 1 + 2 (n - 1) / π; for a
/// lower bound n / (1 + t² (1 - c²)), as the deviation of the scores, whose mean is c times the
/// true one, is uncertain, too.
/// @param runs n. [>= 1]
[[nodiscard]] double worth_of(run_judge rule, std::size_t runs);

/// Groups trials into runs of one configuration, and finds the best configuration.
///
/// Runs belong together if their configurations differ in nothing but the rule's parameter, and
/// both or none of them confirm. Full groups that confirm rank first, then other full ones, then
/// those of a single run if the rule wants a bound, then all others; within these by `is_better`,
/// then the oldest first. Work per call grows with the runs of one configuration, and with the
/// logarithm of the number of configurations.
class run_book {
public:
  run_book() = default;
  explicit run_book(repeat_rule rule) : rule_{std::move(rule)} {}

  [[nodiscard]] const repeat_rule& rule() const { return rule_; }

  /// A trial of this origin was made. A trial that is known already stays unchanged.
  void add(trial_id trial, const object& config, std::string_view origin);
  /// The trial's best report so far.
  void note(trial_id trial, merit best);
  void end(trial_id trial);
  /// The trial runs again.
  void revive(trial_id trial);

  [[nodiscard]] bool knows(trial_id trial) const { return members_.contains(trial); }
  /// Whether some trial has not ended.
  [[nodiscard]] bool has_open() const { return open_ > 0; }
  /// The best group; empty if no run has a score.
  [[nodiscard]] std::optional<run_group> best() const;
  /// Groups with a score, best first, at most `most`. @param confirming Empty: all.
  [[nodiscard]] std::vector<run_group> ranked(std::size_t most,
                                              std::optional<bool> confirming = {}) const;
  /// The group of the same configuration in the search, if it has a score.
  [[nodiscard]] std::optional<run_group> in_search(const run_group& of) const;
  /// Number of runs of the configuration, done or due: if `confirms` those that confirm it, else
  /// the others.
  [[nodiscard]] std::size_t count(const object& config, bool confirms) const;
  /// Number of trials that confirm results of the search.
  [[nodiscard]] std::size_t confirming() const { return confirming_; }

  void describe(fingerprint& into) const;

private:
  struct member {
    std::size_t group = 0;
    std::optional<merit> best = {};
    bool ended = false;
  };
  struct standing {
    /// Lower tiers rank first.
    std::uint32_t tier = 0;
    merit how;
    std::size_t group = 0;
    bool operator<(const standing& than) const;
  };
  struct entry {
    bool confirms = false;
    std::string key;
    std::vector<trial_id> trials = {};
    std::optional<standing> now = {};
    /// True if some run is not a client's: there are, or will be, as many as the rule says.
    bool is_drawn = false;
  };

  [[nodiscard]] run_group group_of(const entry& x) const;
  void judge(std::size_t group);

  repeat_rule rule_;
  std::map<trial_id, member> members_;
  std::vector<entry> groups_;
  std::map<std::pair<bool, std::string>, std::size_t> by_key_;
  std::set<standing> order_;
  std::size_t open_ = 0;
  std::size_t confirming_ = 0;
};

/// A configuration without the parameter that tells runs apart, as text: equal for the runs of one
/// configuration.
[[nodiscard]] std::string run_key(const object& config, const std::string& parameter);

/// The statistics to show for `what`. @param maximise Whether scores are the metric itself, or its
/// negative.
[[nodiscard]] run_statistics statistics_of(const run_book& book, const run_group& what,
                                           bool maximise);

/// `judge`, `value`, `mean`, `error`, `count`, `wanted`, `full`, `confirmed`, `mean_in_search`;
/// null for values that do not exist.
[[nodiscard]] object to_object(const run_statistics& x);
/// Inverse of `to_object`; missing members keep their defaults.
[[nodiscard]] run_statistics statistics_from(const object& x);

} // namespace tune
