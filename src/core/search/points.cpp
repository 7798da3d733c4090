// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/points.hpp"

#include <cmath>

namespace tune {

expected<initial_points> initial_points::make(const search_space& space,
                                              const std::vector<object>& points) {
  initial_points result;
  result.count_ = points.size();
  result.parameters_ = space.parameters().size();
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (auto why = space.reject(points[p], true))
      return error{why->code, "point " + std::to_string(p + 1) + ": " + why->detail};
    for (const auto& x : space.parameters()) {
      const auto* given = find_parameter(points[p], x.name);
      auto& fixed = result.fixed_.emplace_back();
      if (given != nullptr)
        fixed = draws_floats(x.what) ? value{*given->number()} : *given;
    }
  }
  return result;
}

std::vector<value> initial_points::filled(std::size_t point, const search_space& space,
                                          rng from) const {
  constexpr int most_draws = 10'000;
  std::vector<value> values(space.parameters().size());
  std::vector<double> at(values.size());
  for (int draws = 0; draws < most_draws; ++draws) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      at[i] = from.unit();
      const auto* given = fixed(point, i);
      values[i] = given != nullptr ? *given : at_quantile(space.parameters()[i].what, at[i]);
      if (given != nullptr)
        at[i] = std::nan("");
    }
    space.place(values, at);
    if (space.allows(values))
      break;
  }
  return values;
}

} // namespace tune
