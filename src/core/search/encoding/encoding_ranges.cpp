// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/encoding/encoding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune {

namespace {

/// Coordinate in a range with a single value.
constexpr double only_place = 0.5;

/// Tolerance for rounding at the ends of an interval.
constexpr double about_an_end = 1e-9;
/// Draws used to measure the ranges of a space.
constexpr std::size_t draws_to_measure_ranges = 101;
/// Ranges narrower than this share of the whole are too narrow to learn from.
constexpr double narrow = 0.05;

std::optional<axis> axis_of(const std::optional<domain>& range) {
  return range ? axis::make(*range) : std::nullopt;
}

/// Maps a number outside of an interval into it: reflects it at the nearer end, and scales it such
/// that uniform numbers in [0, 1] become uniform in the interval.
double folded(double u, const interval& into) {
  u = std::clamp(u, 0.0, 1.0);
  auto width = into.high - into.low;
  if (u > into.high + about_an_end)
    return into.high - (u - into.high) / (1 - into.high) * width;
  if (u < into.low - about_an_end)
    return into.low + (into.low - u) / into.low * width;
  return std::clamp(u, into.low, into.high);
}

/// Moves a number into a range that it left by rounding.
value kept_in(const domain& range, value x) {
  if (const auto* real = std::get_if<float_range>(&range))
    return real->step > 0 ? x : value{std::clamp(*x.number(), real->low, real->high)};
  return x;
}

} // namespace

/// Visits the parameters, parents first, and determines which are active and their dependent
/// ranges.
struct encoding::tour {
  const encoding& of;
  /// Fixed values by parameter; null where the point decides.
  const std::vector<const value*>& fixed;
  /// Values of active parameters that others read, and of all dependent ones.
  std::vector<value> known;
  std::vector<bool> alive;

  tour(const encoding& where, const std::vector<const value*>& given)
      : of{where}, fixed{given}, known(where.sections_.size()), alive(known.size(), true) {}

  /// @param set Called for each dependent parameter with its range; may move its coordinate.
  template <class Set>
  void go(cube_point& point, const Set& set) {
    const auto& space = *of.space_;
    for (auto p : space.order()) {
      if (const auto& rule = space.parameters()[p].active_if)
        alive[p] = rule->decide(read(space.parents(p))).value_or(false);
      if (!alive[p])
        continue;
      std::optional<domain> range;
      if (space.is_dependent(p)) {
        range = space.range_of(p, read(space.range_parents(p)));
        set(p, range);
      }
      if (of.is_read_[p] || space.is_dependent(p))
        known[p] = fixed[p] != nullptr ? *fixed[p] : of.value_in(p, point, range);
    }
  }

private:
  std::vector<const value*> pointers_;

  std::span<const value* const> read(const std::vector<std::size_t>& parents) {
    pointers_.clear();
    for (auto p : parents)
      pointers_.push_back(alive[p] ? &known[p] : nullptr);
    return pointers_;
  }
};

/// By parameter: whether its place in the current range is what is learned from. True if both
/// bounds move, or if half of the ranges are a narrow part of the whole.
std::vector<bool> encoding::relative_ones() const {
  const auto& all = space_->parameters();
  std::vector<bool> result(all.size());
  std::vector<std::vector<double>> widths(all.size());
  std::vector<std::optional<axis>> wholes(all.size());
  for (std::size_t p = 0; p < all.size(); ++p) {
    const auto* what = std::get_if<dependent_range>(&all[p].what);
    if (what == nullptr)
      continue;
    wholes[p] = axis::make(space_->widest(p));
    result[p] = !wholes[p] || (!what->low.names().empty() && !what->high.names().empty());
  }
  for (std::size_t n = 0; n < draws_to_measure_ranges; ++n) {
    rng from{0, "widths of ranges", n};
    auto values = space_->draw(from);
    auto alive = space_->active(values);
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (!wholes[p] || result[p] || !alive[p])
        continue;
      auto here = axis_of(space_->range_here(p, values, alive));
      auto part = here ? wholes[p]->cover(*here) : interval{};
      widths[p].push_back(part.high - part.low);
    }
  }
  for (std::size_t p = 0; p < all.size(); ++p) {
    auto middle = widths[p].begin() + static_cast<std::ptrdiff_t>(widths[p].size() / 2);
    std::nth_element(widths[p].begin(), middle, widths[p].end());
    result[p] = result[p] || (!widths[p].empty() && *middle < narrow);
  }
  return result;
}

/// Canonical coordinate of the dependent parameter `p`, which has one axis.
double encoding::placed(std::size_t p, double u, const std::optional<domain>& range) const {
  const auto& whole = axes_[sections_[p].first];
  if (!range)
    return whole.snapped(u);
  auto here = axis_of(range);
  if (is_relative_[p])
    return here ? here->snapped(u) : only_place;
  if (!here)
    return *whole.coordinate(at_quantile(*range, 0));
  auto at = whole.snapped(folded(u, whole.cover(*here)));
  // Where two cells meet, either may be the nearest.
  return whole.is_discrete()
             ? std::clamp(at, *whole.coordinate(here->at(0)), *whole.coordinate(here->at(1)))
             : at;
}

/// Canonical coordinate of a value; numbers outside of the range get that of the nearer end.
std::optional<double> encoding::coordinate_in(std::size_t p, const value& x,
                                              const domain& range) const {
  const auto& whole = axes_[sections_[p].first];
  auto here = axis::make(range);
  if (is_relative_[p] && here)
    return here->coordinate(x);
  auto u = whole.coordinate(x);
  if (!u || is_relative_[p])
    return u ? std::optional{only_place} : std::nullopt;
  if (contains(range, x))
    return u;
  return whole.coordinate(here ? here->at(*here->coordinate(x)) : at_quantile(range, 0));
}

/// @param range Range of the parameter, if that depends on others.
value encoding::value_in(std::size_t p, const cube_point& point,
                         const std::optional<domain>& range) const {
  if (!space_->is_dependent(p))
    return value_of(p, point);
  if (!range)
    return {};
  auto here = axis::make(*range);
  if (!here || sections_[p].count == 0)
    return at_quantile(*range, 0);
  auto u = point[sections_[p].first];
  auto at = placed(p, std::isnan(u) ? 0 : u, range);
  return is_relative_[p] ? here->at(at) : kept_in(*range, axes_[sections_[p].first].at(at));
}

std::vector<bool> encoding::active_in_ranges(const cube_point& latent) const {
  const std::vector<const value*> nothing(sections_.size());
  auto point = latent;
  tour by{*this, nothing};
  by.go(point, [](std::size_t, const std::optional<domain>&) {});
  return of_axes(by.alive);
}

cube_point encoding::canonical_in_ranges(cube_point snapped) const {
  const std::vector<const value*> nothing(sections_.size());
  tour by{*this, nothing};
  by.go(snapped, [&](std::size_t p, const std::optional<domain>& range) {
    if (sections_[p].count == 0)
      return;
    auto& u = snapped[sections_[p].first];
    u = placed(p, u, range);
  });
  return with_inactive(std::move(snapped), of_axes(by.alive));
}

std::optional<axis> encoding::axis_at(std::size_t i, const cube_point& latent) const {
  auto wanted = parameters_[i];
  if (!is_relative_[wanted])
    return axes_[i];
  const std::vector<const value*> nothing(sections_.size());
  auto point = latent;
  std::optional<axis> result;
  tour{*this, nothing}.go(point, [&](std::size_t p, const std::optional<domain>& range) {
    if (p == wanted)
      result = axis_of(range);
  });
  return result;
}

std::vector<value> encoding::values(const cube_point& point,
                                    const std::vector<const value*>& fixed) const {
  std::vector<value> result;
  if (space_->has_dependent()) {
    auto copy = point;
    tour by{*this, fixed};
    by.go(copy, [](std::size_t, const std::optional<domain>&) {});
    result = std::move(by.known);
  }
  result.resize(sections_.size());
  for (std::size_t p = 0; p < result.size(); ++p) {
    if (fixed[p] != nullptr)
      result[p] = *fixed[p];
    else if (!space_->is_dependent(p))
      result[p] = value_of(p, point);
  }
  return result;
}

/// @param located Coordinates of all other parameters.
std::optional<cube_point>
encoding::encoded_in_ranges(cube_point located, const std::vector<const value*>& given) const {
  snap(located);
  tour by{*this, given};
  auto fits = true;
  by.go(located, [&](std::size_t p, const std::optional<domain>& range) {
    if (given[p] == nullptr || sections_[p].count == 0)
      return;
    auto u = range ? coordinate_in(p, *given[p], *range) : std::nullopt;
    fits = fits && u;
    located[sections_[p].first] = u.value_or(0);
  });
  if (!fits)
    return std::nullopt;
  return with_inactive(std::move(located), of_axes(by.alive));
}

/// The configuration whose values have these numbers; empty if some range has fewer values.
std::optional<cube_point> encoding::counted(const cube_point& digits) const {
  cube_point latent(digits.size());
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (!space_->is_dependent(parameters_[i]))
      latent[i] = axes_[i].coordinate_of_cell(digits[i]);
  }
  if (!space_->has_dependent())
    return canonical(latent);
  const std::vector<const value*> nothing(sections_.size());
  tour by{*this, nothing};
  auto fits = true;
  by.go(latent, [&](std::size_t p, const std::optional<domain>& range) {
    if (sections_[p].count == 0)
      return;
    auto i = sections_[p].first;
    auto here = is_relative_[p] ? axis_of(range) : axes_[i];
    fits = fits && range && digits[i] < (here ? here->cells() : 1);
    latent[i] = fits && here ? here->coordinate_of_cell(digits[i]) : only_place;
    fits = fits && (is_relative_[p] || contains(*range, axes_[i].at(latent[i])));
  });
  return fits ? std::optional{with_inactive(std::move(latent), of_axes(by.alive))} : std::nullopt;
}

} // namespace tune
