/// Which parameters matter to a model of the results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/importance/ped_anova.hpp"

namespace tune {

/// A configuration, and how good it was.
struct scored_config {
  std::shared_ptr<const object> config;
  /// Larger is better; finite.
  double score = 0;
};

/// How much one parameter has to do with the score, everywhere in the space.
struct model_importance {
  parameter_standing where;
  /// Share of the effects of all parameters. [0, 1]
  double share = 0;
  /// The total effect: which part of the variance of the score over the space, as the model
  /// predicts it, is left when all other parameters are known. Effects sum up to more than 1 where
  /// parameters act together. [0, 1]
  double effect = 0;
  /// By how much the model explains the results better with the parameter than without: the
  /// logarithm of the ratio of both likelihoods, times that of the priors, with the best kernel of
  /// each.
  double evidence = 0;

  /// Whether the evidence is beyond what a parameter without meaning has in one of twenty cases:
  /// half the 95 % point of χ² with one degree of freedom.
  [[nodiscard]] bool is_significant() const { return evidence > 1.92; }
};

/// Importances by a Gaussian process of the results (see `gp::model`), largest first. Unlike
/// `ped_anova`, which compares where the good trials are with where all are, it also
/// knows what a searcher that closes in on the best does not try any more.
///
/// Of more than 200 configurations it takes the best 50, and others at random. Effects are Jansen's
/// estimates over 1,000 random configurations and one change of each of their parameters.
///
/// @param best_first The best first, each configuration once.
/// @errors `ec::bad_option` where there are fewer than 10, where `best_share` is out of range, and
/// for
///         spaces with grids, which it cannot lay out.
/// @source Jansen, "Analysis of Variance Designs for Model Output", Computer Physics Communications
///         117, 1999; Sobol' indices of a Gaussian process's mean: Marrel et al., 2009.
[[nodiscard]] expected<std::vector<model_importance>>
importance_by_model(const search_space& space, const std::vector<scored_config>& best_first,
                    const importance_settings& how = {});

} // namespace tune
