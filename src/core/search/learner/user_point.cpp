// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/user_point.hpp"

namespace tune::learning {

user_point user_point_of(const initial_points& points, std::size_t number, const encoding& space,
                         std::uint64_t seed) {
  rng chance{seed, "points", number};
  auto at = space.random(chance);
  auto values = space.values(at);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto* given = points.fixed(number, i))
      values[i] = *given;
  }
  user_point made;
  made.config = std::make_shared<const object>(space.space().assemble(values));
  made.at = space.encoded(*made.config).value_or(space.canonical(at));
  return made;
}

std::string user_point_origin(std::size_t number) {
  return "point " + std::to_string(number + 1);
}

} // namespace tune::learning
