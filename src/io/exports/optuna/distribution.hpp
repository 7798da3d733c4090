/// Domains of parameters as distributions of Optuna. Private to the export.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"

#include <map>
#include <string>
#include <vector>

namespace tune {

/// A parameter of a trial as Optuna stores it.
struct optuna_parameter {
  std::string name;
  /// The number itself, or the index of a choice.
  double value = 0;
  /// JSON.
  std::string distribution;
};

/// Least and largest number of each parameter whose bounds are not known beforehand.
using seen_ranges = std::map<std::string, std::pair<double, double>>;

/// Translates the parameters of configurations.
///
/// A normal distribution gets the bounds of what was drawn. A permutation becomes one whole number
/// for each item, its position; a subset one truth value for each item.
class optuna_space {
public:
  explicit optuna_space(const search_space& space) : space_{space} {}

  /// Takes note of a configuration before any is translated.
  void see(const object& config);
  /// @param left_out Gets the names of parameters that cannot be translated.
  [[nodiscard]] std::vector<optuna_parameter> parameters(const object& config,
                                                         std::vector<std::string>& left_out) const;

private:
  const search_space& space_;
  seen_ranges seen_;

  [[nodiscard]] std::vector<optuna_parameter> translate(std::size_t i, const domain& what,
                                                        const value& x) const;
  [[nodiscard]] std::optional<domain> domain_in(std::size_t i, const object& config) const;
};

/// JSON as Python reads it: NaN, Infinity and -Infinity are numbers there.
[[nodiscard]] std::string python_json(const value& what);

} // namespace tune
