// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/nsga2/nsga2.hpp"

#include <utility>

namespace tune::nsga2 {

namespace {

/// Children that were tried already, before chance decides.
constexpr int most_children = 16;

const member& winner(const std::vector<member>& of, rng& from) {
  const auto& x = of[from.below(of.size())];
  const auto& y = of[from.below(of.size())];
  return y.is_better_than(x) ? y : x;
}

} // namespace

rule::rule(settings how) : how_{how}, known_{std::make_shared<population>(how.population)} {}

std::optional<learning::pick> rule::next(const learning::outlook& from) const {
  known_->follow(from.past());
  auto parents = known_->parents();
  if (parents.size() < 2)
    return std::nullopt;
  const auto& space = from.space();
  rng chance{from.seed(), "nsga2", from.number()};
  for (int i = 0; i < most_children; ++i) {
    auto x = space.filled(winner(parents, chance).what.at, chance);
    auto y = space.filled(winner(parents, chance).what.at, chance);
    auto at = space.canonical(child_of(space, x, y, how_.how, chance));
    if (!from.is_taken(at))
      return learning::pick{std::move(at),
                            "nsga2, generation " + std::to_string(known_->generation() + 1)};
  }
  return std::nullopt;
}

} // namespace tune::nsga2
