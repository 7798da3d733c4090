// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/evolution/evolution.hpp"

#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <utility>

namespace tune::evolution {

namespace {

using learning::ending;
using learning::result;

/// Children that were tried already, before a random point is taken.
constexpr int most_children = 16;
/// Standard deviation of a change, as a share of the range.
constexpr double step = 0.2;

/// The newest finished results, newest first.
std::vector<const result*> alive(const std::vector<result>& all, std::size_t most) {
  std::vector<const result*> found;
  for (auto i = all.rbegin(); i != all.rend() && found.size() < most; ++i) {
    if (i->how == ending::finished)
      found.push_back(&*i);
  }
  return found;
}

/// The best of `sample` results drawn with replacement.
const result& parent(const std::vector<const result*>& of, std::size_t sample, rng& from,
                     std::vector<result>& drawn) {
  drawn.clear();
  for (std::size_t i = 0; i < sample; ++i)
    drawn.push_back(*of[from.below(of.size())]);
  return drawn[learning::ranking(drawn, 1).front()];
}

} // namespace

struct evolution_rule::child {
  cube_point at;
  result parent;
  std::size_t population = 0;
};

std::optional<evolution_rule::child> evolution_rule::born(const learning::outlook& from) const {
  auto population = alive(from.past().results(), how_.population);
  if (population.empty())
    return std::nullopt;
  const auto& space = from.space();
  rng chance{from.seed(), "evolution", from.number()};
  std::vector<result> drawn;
  for (int i = 0; i < most_children; ++i) {
    const auto& chosen = parent(population, how_.sample, chance, drawn);
    auto at = space.filled(chosen.at, chance);
    space.mutate(at, step, 1, chance);
    auto made = space.canonical(at);
    if (!from.is_taken(made))
      return child{std::move(made), chosen, population.size()};
  }
  return std::nullopt;
}

std::optional<learning::pick> evolution_rule::next(const learning::outlook& from,
                                                   learning::workbook&) const {
  auto found = born(from);
  return found ? std::optional{learning::pick{std::move(found->at), "evolution"}} : std::nullopt;
}

std::optional<explanation> evolution_rule::explain(const learning::outlook& from,
                                                   const learning::pick& what,
                                                   learning::workbook&) const {
  auto found = what.origin == "evolution" ? born(from) : std::nullopt;
  if (!found || from.space().key(found->at) != from.space().key(what.at))
    return std::nullopt;
  explanation made;
  made.how = "a child of the best of " + std::to_string(how_.sample) + " drawn from "
             + std::to_string(found->population) + " that are alive";
  made.results = from.past().results().size();
  made.nearest = neighbour{found->parent.trial,
                           learning::distance_between(from.space(), found->parent.at, what.at)};
  made.nearest->value = -found->parent.value;
  made.parents = {found->parent.trial};
  return made;
}

} // namespace tune::evolution
