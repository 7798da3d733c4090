/// Which parameters made the difference between good trials and others.
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

/// Where a parameter's values are among trials.
struct parameter_standing {
  std::string parameter;
  /// Trials that have the parameter; of those the best. No `best` where there are fewer than 10.
  std::size_t trials = 0;
  std::size_t best = 0;
  /// Where the best are: the tenth and ninetieth percentile of an ordered parameter; of others the
  /// most frequent value, twice.
  value from = {};
  value to = {};
};

/// How much one parameter had to do with it.
struct parameter_importance {
  parameter_standing where;
  /// Share of the importance of all parameters. [0, 1]; all are 0 where none made a difference.
  double share = 0;
  /// The same in the unit in which parameters are compared: the Pearson divergence between where
  /// the best trials are and where all are. [>= 0]
  double divergence = 0;
  /// The divergence that nineteen of twenty drawings of as many trials by chance stay below.
  double by_chance = 0;

  /// Whether the best trials differ from the others by more than chance makes them.
  [[nodiscard]] bool is_significant() const { return divergence > by_chance; }
};

struct importance_settings {
  /// Share of the trials that counts as the best. (0, 1)
  double best_share = 0.1;
  /// Of the drawings by chance.
  std::uint64_t seed = 0;
};

/// Why nothing can be said of so many trials. Empty where it can.
[[nodiscard]] std::optional<error> refuse(const importance_settings& how, std::size_t trials);

/// Where the best are among all that have parameter `number` of the space.
/// @param best_first Configurations, the best first.
[[nodiscard]] parameter_standing
standing_of(const search_space& space, std::size_t number,
            const std::vector<std::shared_ptr<const object>>& best_first, double best_share);

/// Importances after PED-ANOVA (Watanabe et al., IJCAI 2023), largest first: for each parameter the
/// sum over its values of p_all (p_best / p_all - 1)^2, with densities of the best trials and of
/// all on a grid of at most 50 points. What searchers made dense counts no more than what they
/// passed by.
///
/// Densities are kernel estimates with the bandwidth of Scott's rule, one grid step at least, and a
/// uniform prior that counts as one trial; of names they are their frequencies with the same prior.
/// A parameter with a condition is looked at among the trials that have it, the best of these
/// included, and its importance counts as often as there are such trials.
///
/// @param best_first Configurations of trials that have a result, the best first.
/// @errors `ec::bad_option` where there are fewer than 10, or `best_share` is out of range.
[[nodiscard]] expected<std::vector<parameter_importance>>
ped_anova(const search_space& space, const std::vector<std::shared_ptr<const object>>& best_first,
          const importance_settings& how = {});

} // namespace tune
