// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/bohb/bohb.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

namespace tune::bohb {

namespace {

/// Smallest density: ratios of smaller ones carry no information.
constexpr double least_density = 1e-32;

struct candidate {
  double loss = 0;
  const cube_point* at = nullptr;
};

std::size_t least_points(const encoding& space, const settings& how) {
  return how.min_points > 0 ? how.min_points : space.dimensions() + 1;
}

/// The highest budget at which enough trials have a number.
std::optional<std::uint64_t> budget_of(const std::map<trial_id, fidelity::course>& courses,
                                       std::size_t enough) {
  std::map<std::uint64_t, std::size_t> counts;
  for (const auto& [id, x] : courses) {
    if (x.is_bad)
      continue;
    for (const auto& seen : x.budgets)
      ++counts[seen.budget];
  }
  for (auto i = counts.rbegin(); i != counts.rend(); ++i) {
    if (i->second >= enough)
      return i->first;
  }
  return std::nullopt;
}

/// All trials that count at a budget, best first.
std::vector<candidate> candidates_at(const std::map<trial_id, fidelity::course>& courses,
                                     std::uint64_t budget) {
  std::vector<candidate> result;
  for (const auto& [id, x] : courses) {
    if (x.is_bad)
      result.push_back({std::numeric_limits<double>::infinity(), &x.at});
    else if (auto value = x.value_at(budget))
      result.push_back({*value, &x.at});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& x, const auto& y) { return x.loss < y.loss; });
  return result;
}

double normal_mass(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// Draw from N(mean, width), truncated to [0, 1].
double truncated_draw(double mean, double width, rng& from) {
  auto low = normal_mass(-mean / width);
  auto high = normal_mass((1 - mean) / width);
  auto p = low + (high - low) * from.unit();
  return p > 0 && p < 1 ? std::clamp(mean + width * normal_quantile(p), 0.0, 1.0) : mean;
}

/// Draws a point around one of the good ones.
cube_point draw(const encoding& space, const density& good, double factor, rng& from) {
  auto result = good.points()[from.below(good.points().size())];
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto width = good.bandwidths()[i];
    if (!space.at(i).is_category())
      result[i] = truncated_draw(result[i], width * factor, from);
    else if (from.unit() >= 1 - width)
      result[i] = static_cast<double>(from.below(static_cast<std::uint64_t>(space.at(i).cells())));
  }
  return result;
}

/// The latent point, with the coordinates of its configuration where these are active.
cube_point snapped(cube_point latent, const cube_point& canonical) {
  for (std::size_t i = 0; i < latent.size(); ++i)
    latent[i] = std::isnan(canonical[i]) ? latent[i] : canonical[i];
  return latent;
}

} // namespace

std::optional<split> split_of(const encoding& space,
                              const std::map<trial_id, fidelity::course>& courses,
                              const settings& how) {
  auto least = least_points(space, how);
  auto budget = budget_of(courses, least + 2);
  if (!budget)
    return std::nullopt;
  auto all = candidates_at(courses, *budget);
  auto share_of = [&](double percent) {
    auto count = static_cast<std::size_t>(percent * static_cast<double>(all.size()) / 100);
    return std::min(all.size(), std::max(least, count));
  };
  auto good = share_of(how.top_n_percent);
  auto bad = share_of(100 - how.top_n_percent);
  split result{*budget, {}, {}};
  for (std::size_t i = 0; i < good; ++i)
    result.good.push_back(*all[i].at);
  for (auto i = all.size() - bad; i < all.size(); ++i)
    result.bad.push_back(*all[i].at);
  return result;
}

std::optional<learning::pick> bohb_rule::sketch(const learning::outlook& from) const {
  auto at = learning::free_point(from);
  return at ? std::optional{learning::pick{std::move(*at), "random"}} : std::nullopt;
}

struct bohb_rule::choice {
  cube_point at;
  double log_ratio = 0;
  std::uint64_t budget = 0;
  std::size_t good = 0;
  std::size_t bad = 0;
};

std::optional<bohb_rule::choice> bohb_rule::chosen(const learning::outlook& from) const {
  const auto& space = from.space();
  rng chance{from.seed(), "bohb", from.number()};
  if (chance.unit() < how_.random_fraction)
    return std::nullopt;
  auto parts = split_of(space, from.past().courses(), how_);
  if (!parts)
    return std::nullopt;
  complete(space, parts->good, chance);
  complete(space, parts->bad, chance);
  density good{space, std::move(parts->good), how_.min_bandwidth};
  density bad{space, std::move(parts->bad), how_.min_bandwidth};
  std::optional<choice> result;
  auto least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < how_.num_samples; ++k) {
    auto latent = draw(space, good, how_.bandwidth_factor, chance);
    auto at = space.canonical(latent);
    if (from.is_taken(at))
      continue;
    latent = snapped(std::move(latent), at);
    auto ratio = std::max(least_density, bad.at(latent)) / std::max(least_density, good.at(latent));
    if (ratio < least) {
      least = ratio;
      result = choice{std::move(at), -std::log(ratio), parts->budget, good.points().size(),
                      bad.points().size()};
    }
  }
  return result;
}

std::optional<learning::pick> bohb_rule::next(const learning::outlook& from,
                                              learning::workbook&) const {
  auto found = chosen(from);
  if (!found)
    return sketch(from);
  return learning::pick{std::move(found->at), "bohb at " + std::to_string(found->budget)};
}

namespace {

/// The nearest trial that has a number at a budget.
std::optional<neighbour> nearest_at(const learning::outlook& from, std::uint64_t budget,
                                    const cube_point& to) {
  std::optional<neighbour> found;
  for (const auto& [id, x] : from.past().courses()) {
    auto value = x.is_bad ? std::nullopt : x.value_at(budget);
    auto distance = learning::distance_between(from.space(), x.at, to);
    if (!value || (found && found->distance <= distance))
      continue;
    found = neighbour{id, distance};
    found->value = -*value;
  }
  return found;
}

} // namespace

std::optional<explanation> bohb_rule::explain(const learning::outlook& from,
                                              const learning::pick& what,
                                              learning::workbook&) const {
  auto found = what.origin.starts_with("bohb") ? chosen(from) : std::nullopt;
  if (!found || from.space().key(found->at) != from.space().key(what.at))
    return std::nullopt;
  auto count = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  explanation made;
  made.how = "the largest ratio of the densities of good and bad configurations at iteration "
             + std::to_string(found->budget);
  made.results = from.past().courses().size();
  made.nearest = nearest_at(from, found->budget, what.at);
  made.details = {{"log_ratio", found->log_ratio},
                  {"good", count(found->good)},
                  {"bad", count(found->bad)},
                  {"budget", count(found->budget)}};
  return made;
}

} // namespace tune::bohb
