/// Parameters that made the difference between good trials and others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Distribution of a parameter's values among trials.
struct parameter_standing {
  std::string parameter;
  /// Number of trials that have the parameter, and of the best among them. `best` is 0 if there are
  /// fewer than 10.
  std::size_t trials = 0;
  std::size_t best = 0;
  /// Range of the best: the tenth and ninetieth percentile of an ordered parameter, the lesser
  /// number first, those of an ordinal in its order; for others the most frequent value, twice.
  value from = {};
  value to = {};

  /// Whether so many trials have the parameter that they tell something of it.
  [[nodiscard]] bool is_known() const { return best > 0; }
};

/// Influence of one parameter on the results.
struct parameter_importance {
  parameter_standing where;
  /// Share of the importance of all parameters. [0, 1]; all are 0 if none made a difference.
  double share = 0;
  /// Unscaled importance, by which parameters are compared: the Pearson divergence between the
  /// distribution of the best trials and that of all. [>= 0]
  double divergence = 0;
  /// The divergence below which nineteen of twenty random selections of as many trials stay.
  double by_chance = 0;

  /// Whether the best trials differ from the others by more than chance explains.
  [[nodiscard]] bool is_significant() const { return divergence > by_chance; }
};

struct importance_settings {
  /// Share of the trials that counts as the best. (0, 1)
  double best_share = 0.1;
  /// Seed of the random selections.
  std::uint64_t seed = 0;
};

/// The reason why `best_share` or this number of trials is unsuitable; empty if both will do.
[[nodiscard]] std::optional<error> refuse(const importance_settings& how, std::size_t trials);

/// Distribution of the best among all trials that have parameter `number` of the space.
/// @param best_first Configurations, the best first.
[[nodiscard]] parameter_standing
standing_of(const search_space& space, std::size_t number,
            const std::vector<std::shared_ptr<const object>>& best_first, double best_share);

/// Importances after PED-ANOVA (Watanabe et al., IJCAI 2023), largest first: for each parameter the
/// sum over its values of p_all (p_best / p_all - 1)^2, with densities of the best trials and of
/// all on a grid of at most 50 points. Values that searchers tried often count no more than values
/// that they tried rarely.
///
/// Densities are kernel estimates with the bandwidth of Scott's rule, at least one grid step, and a
/// uniform prior that counts as one trial; for names they are frequencies with the same prior. A
/// parameter with a condition is examined among the trials that have it, including the best of
/// these, and its importance is weighted by the share of such trials. Fewer than 10 such trials say
/// nothing: its importance is 0.
///
/// @param best_first Configurations of trials that have a result, the best first.
/// @errors `ec::bad_option` if there are fewer than 10, or `best_share` is out of range.
[[nodiscard]] expected<std::vector<parameter_importance>>
ped_anova(const search_space& space, const std::vector<std::shared_ptr<const object>>& best_first,
          const importance_settings& how = {});

} // namespace tune
