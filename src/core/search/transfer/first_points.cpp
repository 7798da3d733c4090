// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/transfer/first_points.hpp"

#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <cmath>

namespace tune::transfer {

namespace {

constexpr std::size_t least_first = 2;
constexpr std::size_t most_first = 4;
constexpr double least_distance = 0.1;

cube_point completed(const encoding& space, cube_point at, bool is_first, rng& chance) {
  if (!is_first)
    return space.filled(at, chance);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (std::isnan(at[i]))
      at[i] = space.at(i).is_category() ? space.draw(i, chance) : 0.5;
  }
  return at;
}

/// Position in an experiment's ranking.
struct reader {
  std::vector<std::size_t> order;
  std::size_t next = 0;
  std::size_t taken = 0;
};

} // namespace

std::size_t count_of_first(std::size_t design, std::size_t experiments) {
  return std::min(std::clamp(experiments, least_first, most_first), design / 2);
}

std::vector<first_point> first_points(const encoding& space, std::span<const source> from,
                                      std::size_t count, std::uint64_t seed) {
  std::vector<reader> readers;
  for (const auto& x : from)
    readers.push_back({learning::ranking(x.results)});
  rng chance{seed, "earlier points", 0};
  std::vector<bool> all_axes(space.dimensions(), true);
  std::vector<cube_point> had;
  std::vector<first_point> result;
  auto take = [&](std::size_t s) {
    auto& reader = readers[s];
    while (reader.next < reader.order.size()) {
      auto i = reader.order[reader.next++];
      const auto& at = from[s].results[i].at;
      auto is_near = std::any_of(had.begin(), had.end(), [&](const cube_point& x) {
        return distance_on(all_axes, space, x, at) < least_distance;
      });
      if (is_near)
        continue;
      had.push_back(at);
      result.push_back({completed(space, at, reader.taken++ == 0, chance),
                        "earlier " + std::to_string(s + 1) + ": " + from[s].name + ", trial "
                            + to_text(from[s].trials[i])});
      return true;
    }
    return false;
  };
  for (auto found = true; found && result.size() < count;) {
    found = false;
    for (std::size_t s = 0; s < from.size() && result.size() < count; ++s)
      found = take(s) || found;
  }
  return result;
}

} // namespace tune::transfer
