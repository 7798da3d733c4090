/// The tree-structured Parzen estimator: looks where good trials are dense and bad ones are not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstddef>
#include <vector>

namespace tune::tpe {

struct settings {
  /// Number of points drawn per suggestion, of which the best is taken. [>= 1]
  std::size_t candidates = 24;
  /// True: parameters are drawn together, by kernels over all of them; false: each by itself.
  bool multivariate = true;
};

/// Good and bad results, and their weights.
struct split {
  std::vector<const cube_point*> good;
  std::vector<double> good_weights;
  std::vector<const cube_point*> bad;
  std::vector<double> bad_weights;
};

/// Splits n points, pending ones included, at the min(25, ⌈.15 n⌉) best of the finished ones.
///
/// Good ones are weighted by how much better they are than the best of the others; all equally if
/// there are several objectives. All others are bad: finished, failed, stopped, pending. The newest
/// 25 of these have weight 1, older ones less by age; of more than 1,000 the newest 500 are taken,
/// and 500 of the older ones.
/// @param pending Points of trials that have not ended. Must outlive the answer.
[[nodiscard]] split split_results(const std::vector<learning::result>& results,
                                  const std::vector<cube_point>& pending);

/// Chooses the point with the largest ratio of both densities among draws from the good one. Points
/// of earlier experiments that agree with the results count in both (`transfer::memory::backings`).
/// @source Bergstra et al., NIPS 2011; for conditional spaces see `parzen`.
class tpe_rule final : public learning::rule {
public:
  explicit tpe_rule(settings how) : how_{how} {}

  [[nodiscard]] std::optional<learning::pick> next(const learning::outlook& from,
                                                   learning::workbook& kept) const override;
  [[nodiscard]] bool takes_several() const override { return true; }
  [[nodiscard]] bool learns_earlier() const override { return true; }
  /// Details: `log_ratio`, the logarithm of the ratio of the densities of good and bad trials
  /// there; `good` and `bad`, the number of points in each density; `pending`, the number of bad
  /// ones that have not ended; `earlier`, the number of points of both
  /// that come from earlier experiments, if any do.
  [[nodiscard]] std::optional<explanation> explain(const learning::outlook& from,
                                                   const learning::pick& what,
                                                   learning::workbook& kept) const override;

private:
  settings how_;
};

/// "tpe".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::tpe
