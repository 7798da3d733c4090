// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/evolution/evolution.hpp"

#include "tune/core/search/learner/ranking.hpp"

#include <algorithm>
#include <utility>

namespace tune::evolution {

namespace {

using learning::ending;
using learning::result;

/// Children that were tried already, before chance decides.
constexpr int most_children = 16;
/// Standard deviation of a change, as a share of the range.
constexpr double step = 0.2;

/// The newest that finished, newest first.
std::vector<const result*> alive(const std::vector<result>& all, std::size_t most) {
  std::vector<const result*> found;
  for (auto i = all.rbegin(); i != all.rend() && found.size() < most; ++i) {
    if (i->how == ending::finished)
      found.push_back(&*i);
  }
  return found;
}

/// The best of some that are drawn, with repetition.
const result& parent(const std::vector<const result*>& of, std::size_t sample, rng& from,
                     std::vector<result>& drawn) {
  drawn.clear();
  for (std::size_t i = 0; i < sample; ++i)
    drawn.push_back(*of[from.below(of.size())]);
  return drawn[learning::ranking(drawn, 1).front()];
}

} // namespace

std::optional<learning::pick> rule::next(const learning::outlook& from) const {
  auto population = alive(from.past().results(), how_.population);
  if (population.empty())
    return std::nullopt;
  const auto& space = from.space();
  rng chance{from.seed(), "evolution", from.number()};
  std::vector<result> drawn;
  for (int i = 0; i < most_children; ++i) {
    auto at = space.filled(parent(population, how_.sample, chance, drawn).at, chance);
    space.mutate(at, step, 1, chance);
    auto made = space.canonical(at);
    if (!from.is_taken(made))
      return learning::pick{std::move(made), "evolution"};
  }
  return std::nullopt;
}

} // namespace tune::evolution
