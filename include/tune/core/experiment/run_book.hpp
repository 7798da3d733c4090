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

/// What the runs of one configuration come to.
enum class run_judge : std::uint8_t {
  mean,
  median,
  /// The bound above which the true mean lies with 95 % confidence (below which, where the metric
  /// is to be small), by Student's t distribution.
  lower_bound,
};

/// "mean", "median", "lower_bound".
[[nodiscard]] std::string_view to_text(run_judge x);

/// How often configurations run.
struct repeat_rule {
  /// Runs of each configuration. [>= 1]
  std::uint32_t runs = 1;
  run_judge judge = run_judge::mean;
  /// Parameter that tells a run its number, from 0.
  std::string parameter = "seed";
  /// So many of the best run again at the end. 0 = none.
  std::uint32_t confirm = 0;
  /// How often each of them. [>= 1]
  std::uint32_t confirm_runs = 3;

  [[nodiscard]] bool is_on() const { return runs > 1 || confirm > 0; }
  friend bool operator==(const repeat_rule&, const repeat_rule&) = default;
};

/// The origin of what a client added.
inline constexpr std::string_view client_origin = "client";

/// How the origin of a trial begins that confirms what the search has found.
inline constexpr std::string_view confirms_prefix = "confirms ";
[[nodiscard]] inline bool is_confirming(std::string_view origin) {
  return origin.starts_with(confirms_prefix);
}

/// The runs of one configuration. Scores are those of their best reports; larger is better.
struct run_group {
  std::vector<trial_id> trials;
  /// These runs confirm; those of the search are another group.
  bool confirms = false;
  /// All runs that are wanted have ended, and more than half of them have a score. Groups of which
  /// this is not so go behind all others.
  bool is_full = false;
  /// Runs with a score, of which the following is made; where enough have ended, of those that
  /// have. [>= 1]
  std::uint32_t runs = 0;
  /// Runs that are wanted: as many as the rule says, or fewer where a client fixed the numbers of
  /// all runs.
  std::uint32_t wanted = 1;
  /// What it is judged by: the mean of violations, and the scores as the rule says.
  merit how;
  double mean = 0;
  /// Standard error of the mean; NaN for a single run.
  double error = std::numeric_limits<double>::quiet_NaN();
  /// The best of these runs; of equal ones the first.
  trial_id best;
};

/// What people are told of a group, in the metric's own sign.
struct run_statistics {
  std::uint32_t runs = 0;
  std::uint32_t wanted = 1;
  bool is_full = false;
  bool confirms = false;
  run_judge judge = run_judge::mean;
  double mean = 0;
  /// NaN for a single run.
  double error = std::numeric_limits<double>::quiet_NaN();
  /// What the group is judged by; NaN where a single run has no lower bound.
  double judged = std::numeric_limits<double>::quiet_NaN();
  /// Mean of the same configuration's runs in the search; NaN unless `confirms`.
  double mean_in_search = std::numeric_limits<double>::quiet_NaN();
};

/// Whether so many scores come to a value by the rule: a single one has no bound. [n >= 1]
[[nodiscard]] bool has_value(run_judge rule, std::size_t runs);
/// What the scores come to by the rule; a single one to itself. @param scores Larger is better.
/// [n >= 1]
[[nodiscard]] double judged_by(run_judge rule, std::vector<double> scores);
/// Mean, and its standard error; NaN for a single one. [n >= 1]
[[nodiscard]] std::pair<double, double> mean_and_error(const std::vector<double>& scores);

/// How many times less than a single run's the variance of `judged_by` is, for normally distributed
/// scores: of a mean n; of a median n up to two, else about 1 + 2 (n - 1) / π; of a lower bound
/// n / (1 + t² (1 - c²)), as the deviation of the scores, whose mean is c of the true one, is
/// uncertain, too.
/// @param runs n. [>= 1]
[[nodiscard]] double worth_of(run_judge rule, std::size_t runs);

/// Which trials are runs of one configuration, and which configuration is the best.
///
/// Runs belong together if their configurations differ in nothing but the rule's parameter, and
/// both or none of them confirm. Groups that confirm go before all others, then full ones, then
/// those of a single run where the rule wants a bound, then others; then `is_better`, then the
/// first. Work per call grows with the runs of one configuration, and with the logarithm of the
/// number of configurations.
class run_book {
public:
  run_book() = default;
  explicit run_book(repeat_rule rule) : rule_{std::move(rule)} {}

  [[nodiscard]] const repeat_rule& rule() const { return rule_; }

  /// A trial was made, of this origin. One that is known already stays what it is.
  void add(trial_id trial, const object& config, std::string_view origin);
  /// Its best report so far.
  void note(trial_id trial, merit best);
  void end(trial_id trial);
  /// It runs again.
  void revive(trial_id trial);

  [[nodiscard]] bool knows(trial_id trial) const { return members_.contains(trial); }
  /// Some trial has not ended.
  [[nodiscard]] bool has_open() const { return open_ > 0; }
  /// The best group; nothing where no run has a score.
  [[nodiscard]] std::optional<run_group> best() const;
  /// Groups with a score, best first, at most `most`. @param confirming Nothing: all.
  [[nodiscard]] std::vector<run_group> ranked(std::size_t most,
                                              std::optional<bool> confirming = {}) const;
  /// The other group of the same configuration, where that has a score.
  [[nodiscard]] std::optional<run_group> in_search(const run_group& of) const;
  /// How often the configuration was run, or is to be, to confirm it or not.
  [[nodiscard]] std::size_t count(const object& config, bool confirms) const;

  void describe(fingerprint& into) const;

private:
  struct member {
    std::size_t group = 0;
    std::optional<merit> best = {};
    bool ended = false;
  };
  struct standing {
    /// Less goes first.
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
    /// Some run was not a client's: there are, or will be, as many as the rule says.
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
};

/// A configuration without the parameter that tells runs apart, as text: equal for the same.
[[nodiscard]] std::string run_key(const object& config, const std::string& parameter);

/// What to tell of `what`. @param maximise Whether scores are the metric itself, or its negative.
[[nodiscard]] run_statistics statistics_of(const run_book& book, const run_group& what,
                                           bool maximise);

/// `judge`, `value`, `mean`, `error`, `count`, `wanted`, `full`, `confirmed`, `mean_in_search`;
/// null for what there is not.
[[nodiscard]] object to_object(const run_statistics& x);
/// The other way round; what is missing is left as it is by default.
[[nodiscard]] run_statistics statistics_from(const object& x);

} // namespace tune
