/// BOHB's model: looks where good trials are dense, judged at the highest budget with enough
/// results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/bohb/density.hpp"
#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tune::bohb {

/// Defaults are those of the paper's authors, except `min_bandwidth`, which is .001 there: with
/// that value the model closes in on one point if the scheduler stops no trial.
struct settings {
  /// Least number of points of each density; a budget is learnt from once it has two more. 0: one
  /// more than there are parameters.
  std::size_t min_points = 0;
  /// Percentage of trials that count as good. [1, 99]
  double top_n_percent = 15;
  /// Number of points drawn per suggestion, of which the best is taken. [>= 1]
  std::size_t num_samples = 64;
  /// Share of suggestions that are drawn at random. [0, 1]
  double random_fraction = 1.0 / 3;
  /// Width of the kernels that points are drawn from, relative to those of the density. [> 0]
  double bandwidth_factor = 3;
  /// Smallest bandwidth of an axis. [> 0]
  double min_bandwidth = 0.05;
};

/// The good and the bad trials of one budget.
struct split {
  /// The budget that they were trained for.
  std::uint64_t budget = 0;
  std::vector<cube_point> good;
  std::vector<cube_point> bad;
};

/// Splits the trials of the highest budget at which at least N + 2 have a number, N being the least
/// number of points: the good ones are the max(N, q n) best of n, the bad ones the max(N, (1 - q)
/// n) worst. If n is small some are both, as in the paper. Trials that failed or miss a constraint
/// are the worst of every budget, and count in n, but not among those N + 2.
/// @returns empty if there is no such budget.
[[nodiscard]] std::optional<split> split_of(const encoding& space,
                                            const std::map<trial_id, fidelity::course>& courses,
                                            const settings& how);

/// Draws points around good ones, and takes the one with the largest ratio of both densities.
///
/// Every value that a trial reports belongs to a budget, so that the rule works with every
/// scheduler; it was made for `hb_bohb`.
///
/// @source Falkner, Klein, Hutter, "BOHB: Robust and Efficient Hyperparameter Optimization at
///         Scale", ICML 2018.
class bohb_rule final : public learning::rule {
public:
  explicit bohb_rule(settings how) : how_{how} {}

  [[nodiscard]] std::optional<learning::pick> next(const learning::outlook& from,
                                                   learning::workbook& kept) const override;
  /// Draws at random.
  [[nodiscard]] std::optional<learning::pick> sketch(const learning::outlook& from) const override;
  /// Details: `log_ratio`, the logarithm of the ratio of the densities of good and bad trials
  /// there, `good` and `bad`, the number of trials in each density, and `budget`, the budget of
  /// both.
  [[nodiscard]] std::optional<explanation> explain(const learning::outlook& from,
                                                   const learning::pick& what,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] bool sees_courses() const override { return true; }

private:
  struct choice;
  [[nodiscard]] std::optional<choice> chosen(const learning::outlook& from) const;

  settings how_;
};

/// "bohb".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::bohb
