/// BOHB's model: looks where trials are dense that are good at the highest budget that is known
/// well enough.
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

/// Defaults are those of the paper's authors, but for `min_bandwidth`, which is .001 there: beside
/// a scheduler that stops no trial the model then closes in on one point.
struct settings {
  /// Least number of points of each density, and with two more of a budget that is learnt from. 0:
  /// one more than there are parameters.
  std::size_t min_points = 0;
  /// How many of a hundred trials are good ones. [1, 99]
  double top_n_percent = 15;
  /// Points drawn per suggestion, of which the best is taken. [>= 1]
  std::size_t num_samples = 64;
  /// Share of suggestions that are drawn at random. [0, 1]
  double random_fraction = 1.0 / 3;
  /// How much wider than those of the density the kernels are that points are drawn from. [> 0]
  double bandwidth_factor = 3;
  /// [> 0]
  double min_bandwidth = 0.05;
};

/// Where the good and the bad trials of one budget are.
struct split {
  /// What they were trained for.
  std::uint64_t budget = 0;
  std::vector<cube_point> good;
  std::vector<cube_point> bad;
};

/// Splits the trials of the highest budget that at least N + 2 have a number for, N being the least
/// number of points: the good ones are the max(N, q n) best of n, the bad ones the max(N, (1 - q)
/// n) worst. Where n is small some are both, as in the paper. Trials that failed or miss a
/// constraint are the worst of every budget, and count in n, but not among those N + 2.
/// @returns nothing where there is no such budget.
[[nodiscard]] std::optional<split> split_of(const encoding& space,
                                            const std::map<trial_id, fidelity::course>& courses,
                                            const settings& how);

/// Takes the point of the largest ratio of both densities among points drawn around good ones.
///
/// Every value that a trial reports is one of its budget, so that it works with every scheduler; it
/// was made for `hb_bohb`.
///
/// @source Falkner, Klein, Hutter, "BOHB: Robust and Efficient Hyperparameter Optimization at
///         Scale", ICML 2018.
class bohb_rule final : public learning::rule {
public:
  explicit bohb_rule(settings how) : how_{how} {}

  [[nodiscard]] std::optional<learning::pick> next(const learning::outlook& from) const override;
  /// At random.
  [[nodiscard]] std::optional<learning::pick> sketch(const learning::outlook& from) const override;
  /// Details: `log_ratio`, the logarithm of how many times as dense good ones are there as bad
  /// ones, `good` and `bad`, of how many each density is made, and `budget`, at which.
  [[nodiscard]] std::optional<explanation> explain(const learning::outlook& from,
                                                   const learning::pick& what) const override;
  [[nodiscard]] bool sees_courses() const override { return true; }

private:
  struct choice;
  [[nodiscard]] std::optional<choice> chosen(const learning::outlook& from) const;

  settings how_;
};

/// "bohb".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::bohb
