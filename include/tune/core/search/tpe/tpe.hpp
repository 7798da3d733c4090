/// The tree-structured Parzen estimator: looks where good trials are dense and bad ones are not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/learner/rule.hpp"
#include "tune/core/search/searcher.hpp"

#include <cstddef>
#include <vector>

namespace tune::tpe {

struct settings {
  /// Points drawn per suggestion, of which the best is taken. [>= 1]
  std::size_t candidates = 24;
  /// Parameters are drawn together, by kernels over all of them; else each by itself.
  bool multivariate = true;
};

/// Which results count as good, and what all weigh.
struct split {
  std::vector<const cube_point*> good;
  std::vector<double> good_weights;
  std::vector<const cube_point*> bad;
  std::vector<double> bad_weights;
};

/// Splits n points, pending ones included, at the min(25, ⌈.15 n⌉) best of those that finished.
///
/// Good ones weigh by how much they are better than the best of the others; all alike where there
/// are several objectives. All else is bad:
/// finished, failed, stopped, pending. Of these the newest 25 weigh 1, older ones less by age; of
/// more than 1,000 the newest 500 are taken, and 500 of the older ones.
/// @param pending Where trials are that have not ended. It must live as long as the answer.
[[nodiscard]] split split_results(const std::vector<learning::result>& results,
                                  const std::vector<cube_point>& pending);

/// Chooses the point of the largest ratio of both densities among draws of the good one's. Points
/// of earlier experiments that agree with the results count in both (`transfer::memory::backings`).
/// @source Bergstra et al., NIPS 2011; for conditional spaces see `parzen`.
class tpe_rule final : public learning::rule {
public:
  explicit tpe_rule(settings how) : how_{how} {}

  [[nodiscard]] std::optional<learning::pick> next(const learning::outlook& from) const override;
  [[nodiscard]] bool takes_several() const override { return true; }
  [[nodiscard]] bool learns_earlier() const override { return true; }
  /// Details: `log_ratio`, the logarithm of how many times as dense good ones are there as bad
  /// ones; `good` and `bad`, of how many each density is made; `pending`, how many of the bad ones
  /// have not ended.
  [[nodiscard]] std::optional<explanation> explain(const learning::outlook& from,
                                                   const learning::pick& what) const override;

private:
  settings how_;
};

/// "tpe".
[[nodiscard]] searcher_catalogue::entry make_entry();

} // namespace tune::tpe
