// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/user_point.hpp"

namespace tune::learning {

namespace {

constexpr int most_draws = 10'000;

} // namespace

user_point user_point_of(const initial_points& points, std::size_t number, const encoding& space,
                         std::uint64_t seed) {
  rng chance{seed, "points", number};
  cube_point at;
  std::vector<value> values;
  std::vector<const value*> given(space.space().parameters().size());
  for (std::size_t p = 0; p < given.size(); ++p)
    given[p] = points.fixed(number, p);
  // Drawn values must satisfy the constraint together with the given ones. After too many failed
  // draws
  // the last one is taken.
  for (int i = 0; i < most_draws; ++i) {
    at = space.random(chance);
    values = space.values(at, given);
    if (space.space().allows(values))
      break;
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
