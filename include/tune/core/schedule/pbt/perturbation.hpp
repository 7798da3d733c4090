/// The explore step of population based training: random perturbation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/schedule/pbt/explorer.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tune::pbt {

/// Changes a configuration once more after the built-in perturbation. It must be a pure function:
/// its answer is recorded, but `fsck --verify` asks again.
using custom_explore = std::function<object(object config, const heritage& by)>;

struct perturbation_settings {
  std::vector<mutable_parameter> mutate;
  /// Probability that a parameter is drawn anew instead of being moved. [0, 1]
  double resample_probability = 0.25;
  /// Factors for numbers, one of which is drawn each time. [not empty]
  std::vector<double> factors = {1.2, 0.8};
  /// Empty: no further change.
  custom_explore custom = {};
};

/// Reads the parameters to mutate: parameters of the space, each optionally with its own domain:
/// "lr, momentum: uniform(0.8, 0.99)". Empty text: all parameters that can vary.
/// @param space Null: an unknown space; then each name needs a domain.
/// @errors `ec::unknown_name` with the nearest; `ec::bad_option` for constants and for domains that
///         are not inside the space's; `ec::bad_syntax`.
[[nodiscard]] expected<std::vector<mutable_parameter>> read_mutations(std::string_view text,
                                                                      const search_space* space);

/// Reads "1.2, 0.8". @errors `ec::bad_option` if a factor is not a number above 0, or the list is
/// empty.
[[nodiscard]] expected<std::vector<double>> read_factors(std::string_view text);

/// Moves one value, or draws it anew.
///
/// Lists (choice, grid): with the resample probability, or if the value is not in the list, any
/// entry; else the previous or the next entry, without wrapping around. Ranges: with the resample
/// probability a new draw; else the product with one of the factors, whole numbers rounded half to
/// even, multiples of a step to the nearest, and never outside of the range.
[[nodiscard]] change perturbed(const mutable_parameter& what, const value& now,
                               const perturbation_settings& by, dice& with);

/// Perturbs each parameter that the donor has, and keeps the configuration within the space.
class perturbation final : public explorer {
public:
  /// @param space The space that configurations must belong to; null if it is unknown.
  perturbation(perturbation_settings what, std::shared_ptr<const search_space> space)
      : settings_{std::move(what)}, space_{std::move(space)} {}

  [[nodiscard]] explored explore(const heritage& what, dice& with) const override;

private:
  perturbation_settings settings_;
  std::shared_ptr<const search_space> space_;
};

} // namespace tune::pbt
