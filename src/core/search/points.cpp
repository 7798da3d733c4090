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

std::vector<value> initial_points::filled(std::size_t point, const search_space& space,
                                          rng from) const {
  constexpr int most_draws = 10'000;
  std::vector<value> values(space.parameters().size());
  for (int draws = 0; draws < most_draws; ++draws) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto drawn = sample(space.parameters()[i].what, from);
      const auto* given = fixed(point, i);
      values[i] = given != nullptr ? *given : std::move(drawn);
    }
    if (space.allows(values))
      break;
  }
  return values;
}

} // namespace tune
