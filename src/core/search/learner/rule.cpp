// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/rule.hpp"

#include "tune/core/search/learner/workbook.hpp"

#include <cmath>

namespace tune::learning {

namespace {

constexpr double most_counted = 20000;
constexpr int first_draws = 200;
constexpr int last_draws = 800;
constexpr int rare_draws = 100'000;

} // namespace

std::vector<cube_point> outlook::pending(std::size_t most) const {
  auto result = past_->pending(draft_, most);
  result.insert(result.end(), fresh_.begin(), fresh_.end());
  return result;
}

std::vector<cube_point> outlook::unseen(std::size_t most) const {
  auto result = past_->unseen(draft_, most);
  result.insert(result.end(), fresh_.begin(), fresh_.end());
  return result;
}

std::optional<pick> rule::sketch(const outlook& from) const {
  workbook empty;
  return next(from, empty);
}

void outlook::add(cube_point canonical) {
  fresh_keys_.insert(space().key(canonical));
  fresh_.push_back(std::move(canonical));
  ++number_;
}

double distance_between(const encoding& space, const cube_point& a, const cube_point& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i]))
      continue;
    auto gap = space.at(i).is_category() || std::isnan(a[i]) || std::isnan(b[i])
                   ? static_cast<double>(!(a[i] == b[i]))
                   : a[i] - b[i];
    sum += gap * gap;
  }
  return std::sqrt(sum);
}

std::optional<neighbour> nearest_result(const archive& past, const cube_point& to) {
  std::optional<neighbour> found;
  for (const auto& x : past.results()) {
    if (x.how != ending::finished)
      continue;
    neighbour made;
    made.trial = x.trial;
    made.distance = distance_between(past.space(), x.at, to);
    made.value = -x.value;
    if (!found || made.distance < found->distance)
      found = made;
  }
  return found;
}

std::optional<cube_point> free_point(const outlook& from) {
  rng chance{from.seed(), "free point", from.number()};
  const auto& space = from.space();
  cube_point drawn;
  auto draw = [&](int tries) {
    for (int i = 0; i < tries; ++i) {
      drawn = space.canonical(space.random(chance));
      if (!from.is_taken(drawn))
        return true;
    }
    return false;
  };
  if (draw(first_draws))
    return drawn;
  if (space.size() <= most_counted)
    return space.first_free([&](std::uint64_t key) { return from.is_taken(key); });
  if (draw(last_draws) || (std::isinf(space.size()) && space.allows(drawn)))
    return drawn;
  // All points drawn so far were taken, or none met the constraint, which few points may meet.
  if (draw(space.space().allows_all() ? 0 : rare_draws))
    return drawn;
  return std::nullopt;
}

} // namespace tune::learning
