/// Importance of parameters according to a model of the results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/importance/ped_anova.hpp"

namespace tune {

/// A configuration and its score.
struct scored_config {
  std::shared_ptr<const object> config;
  /// Larger is better; finite.
  double score = 0;
};

/// Influence of one parameter on the score, everywhere in the space.
struct model_importance {
  parameter_standing where;
  /// Share of the effects of all parameters. [0, 1]
  double share = 0;
  /// The total effect: the part of the predicted variance of the score over the space that remains
  /// if all other parameters are known. The score is taken on the model's scale: standardised after
  /// a Yeo-Johnson transform, which brings its values near a normal distribution. Effects sum up to
  /// more than 1 if parameters act together. [0, 1]
  double effect = 0;
  /// Improvement of the model by the parameter: the logarithm of the ratio of the likelihoods with
  /// and without it, times that of the priors, with the best kernel of each. [>= 0]
  double evidence = 0;
  /// Share of shuffles of the parameter's values among the configurations that have it that would
  /// explain the results as well. (0, 1]
  double chance = 1;

  /// Whether the model gains by the parameter, and more than it does by nineteen of twenty shuffles
  /// of its values.
  ///
  /// Evidence alone proves little: to a model whose prior expects little noise, any further
  /// parameter helps to take noise for a ragged function.
  [[nodiscard]] bool is_significant() const { return evidence > 0.1 && chance <= 0.05; }
};

/// Importances by a Gaussian process of the results (see `gp::model`), largest first. Unlike
/// `ped_anova`, which compares the distribution of the good trials with that of all, it also covers
/// regions that a searcher closing in on the best no longer tries.
///
/// A parameter that fewer than 10 configurations have is not judged: its effect and evidence are 0.
///
/// Uses the best 50 of more than 200 configurations, and others at random. Effects are Jansen's
/// estimates over 1,000 random configurations and one change of each of their parameters.
///
/// @param best_first The best first, each configuration once.
/// @errors `ec::bad_option` if there are fewer than 10, if `best_share` is out of range, and for
///         spaces with grids, which it cannot lay out.
/// @source Jansen, "Analysis of Variance Designs for Model Output", Computer Physics Communications
///         117, 1999; Sobol' indices of a Gaussian process's mean: Marrel et al., 2009.
[[nodiscard]] expected<std::vector<model_importance>>
importance_by_model(const search_space& space, const std::vector<scored_config>& best_first,
                    const importance_settings& how = {});

} // namespace tune
