// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/nsga2/nsga2.hpp"

#include <utility>

namespace tune::nsga2 {

namespace {

/// Children that were tried already, before a random point is taken.
constexpr int most_children = 16;

const member& winner(const std::vector<member>& of, rng& from) {
  const auto& x = of[from.below(of.size())];
  const auto& y = of[from.below(of.size())];
  return y.is_better_than(x) ? y : x;
}

} // namespace

nsga2_rule::nsga2_rule(settings how)
    : how_{how}, known_{std::make_shared<population>(how.population)} {}

struct nsga2_rule::child {
  cube_point at;
  trial_id first;
  trial_id second;
};

std::optional<nsga2_rule::child> nsga2_rule::born(const learning::outlook& from) const {
  known_->follow(from.past());
  auto parents = known_->parents();
  if (parents.size() < 2)
    return std::nullopt;
  const auto& space = from.space();
  rng chance{from.seed(), "nsga2", from.number()};
  for (int i = 0; i < most_children; ++i) {
    const auto& first = winner(parents, chance).what;
    auto x = space.filled(first.at, chance);
    const auto& second = winner(parents, chance).what;
    auto y = space.filled(second.at, chance);
    auto at = space.canonical(child_of(space, x, y, how_.how, chance));
    if (!from.is_taken(at))
      return child{std::move(at), first.trial, second.trial};
  }
  return std::nullopt;
}

std::optional<learning::pick> nsga2_rule::next(const learning::outlook& from,
                                               learning::workbook&) const {
  auto found = born(from);
  if (!found)
    return std::nullopt;
  return learning::pick{std::move(found->at),
                        "nsga2, generation " + std::to_string(known_->generation() + 1)};
}

std::optional<explanation> nsga2_rule::explain(const learning::outlook& from,
                                               const learning::pick& what,
                                               learning::workbook&) const {
  auto found = what.origin.starts_with("nsga2") ? born(from) : std::nullopt;
  if (!found || from.space().key(found->at) != from.space().key(what.at))
    return std::nullopt;
  explanation made;
  // A parent may be drawn twice; its child differs by mutation alone.
  const auto is_one = found->first == found->second;
  made.how = (is_one ? "a mutation of one of generation " : "a child of two of generation ")
             + std::to_string(known_->generation());
  made.results = from.past().results().size();
  made.parents = {found->first};
  if (!is_one)
    made.parents.push_back(found->second);
  return made;
}

} // namespace tune::nsga2
