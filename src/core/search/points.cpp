// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/points.hpp"

namespace tune {

namespace {

bool draws_floats(const domain& x) {
  return std::holds_alternative<float_range>(x) || std::holds_alternative<normal_range>(x);
}

} // namespace

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

} // namespace tune
