// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/encoding/encoding.hpp"

#include "tune/core/fingerprint.hpp"
#include "tune/core/space/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tune {

namespace {

constexpr std::size_t draws_to_measure = 200;

/// Moves a number. At an end of [0, 1] it stops or is reflected, each half of the time.
double moved(double u, double by, rng& from) {
  u += by;
  if (u < 0)
    u = from.unit() < 0.5 ? 0 : -u;
  else if (u > 1)
    u = from.unit() < 0.5 ? 1 : 2 - u;
  return std::clamp(u, 0.0, 1.0);
}

std::vector<axis> axes_of(const search_space& space, std::size_t p, bool is_relative) {
  if (!is_relative)
    return axis::make_all(space.widest(p));
  auto one = axis::make_relative(space.widest(p));
  return one ? std::vector<axis>{std::move(*one)} : std::vector<axis>{};
}

} // namespace

expected<encoding> encoding::make(std::shared_ptr<const search_space> space, std::string_view who) {
  for (const auto& x : space->parameters()) {
    if (std::holds_alternative<grid_of>(x.what))
      return error{ec::bad_option, '"' + x.name + "\": " + std::string{who}
                                       + " does not run every value of a grid; write choice(…), "
                                         "or search with type = random"};
  }
  encoding result;
  result.space_ = std::move(space);
  result.lay_out();
  result.count_children();
  result.measure();
  return result;
}

void encoding::lay_out() {
  const auto& all = space_->parameters();
  sections_.assign(all.size(), {});
  is_read_.assign(all.size(), false);
  is_relative_.assign(all.size(), false);
  if (space_->has_dependent())
    is_relative_ = relative_ones();
  for (std::size_t p = 0; p < all.size(); ++p) {
    for (auto parent : space_->parents(p))
      is_read_[parent] = true;
    for (auto parent : space_->range_parents(p))
      is_read_[parent] = true;
    conditional_ = conditional_ || all[p].active_if.has_value();
    auto made = axes_of(*space_, p, is_relative_[p]);
    sections_[p] = {axes_.size(), made.size()};
    double left = static_cast<double>(made.size());
    for (auto& x : made) {
      auto is_finite = x.is_finite() || (is_relative_[p] && x.is_discrete());
      size_ *= is_order(p) ? left--
               : is_finite ? x.cells()
                           : std::numeric_limits<double>::infinity();
      parameters_.push_back(p);
      axes_.push_back(std::move(x));
    }
  }
}

void encoding::count_children() {
  children_.assign(axes_.size(), 0);
  for (std::size_t p = 0; p < sections_.size(); ++p) {
    for (auto parent : space_->parents(p)) {
      if (sections_[parent].count == 1 && !space_->parameters()[parent].active_if
          && !space_->is_dependent(parent))
        ++children_[sections_[parent].first];
    }
  }
}

/// Whether the axes of a parameter are ranks.
bool encoding::is_order(std::size_t p) const {
  return std::holds_alternative<permutation_of>(space_->parameters()[p].what);
}

/// Replaces each coordinate of a permutation by that of its rank; ties keep their order.
void encoding::rank(cube_point& latent, const section& of) const {
  std::vector<std::size_t> order(of.count);
  std::iota(order.begin(), order.end(), of.first);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return latent[a] < latent[b]; });
  for (std::size_t k = 0; k < order.size(); ++k)
    latent[order[k]] = axes_[order[k]].coordinate_of_cell(static_cast<double>(k));
}

/// Value of a parameter that is active, or as if it were.
/// @param point Canonical except for inactive parameters.
value encoding::value_of(std::size_t p, const cube_point& point) const {
  const auto& what = space_->parameters()[p].what;
  auto [first, count] = sections_[p];
  if (count == 0)
    return at_quantile(what, 0);
  auto at = [&](std::size_t i) { return std::isnan(point[i]) ? 0 : point[i]; };
  if (const auto* order = std::get_if<permutation_of>(&what)) {
    auto ranked = point;
    for (auto i = first; i < first + count; ++i)
      ranked[i] = at(i);
    rank(ranked, sections_[p]);
    value::list result(count);
    for (std::size_t k = 0; k < count; ++k)
      result[static_cast<std::size_t>(ranked[first + k] * axes_[first].cells())] = order->items[k];
    return value{std::move(result)};
  }
  if (const auto* members = std::get_if<subset_of>(&what)) {
    value::list result;
    for (std::size_t k = 0; k < count; ++k) {
      if (at(first + k) >= 1)
        result.push_back(members->items[k]);
    }
    return value{std::move(result)};
  }
  return axes_[first].at(at(first));
}

/// Sets the coordinates of a value. @returns whether the value belongs to the parameter.
bool encoding::locate(std::size_t p, const value& what, cube_point& to) const {
  const auto& kind = space_->parameters()[p].what;
  auto first = sections_[p].first;
  if (!std::holds_alternative<permutation_of>(kind) && !std::holds_alternative<subset_of>(kind)) {
    auto u = axes_[first].coordinate(what);
    to[first] = u.value_or(0);
    return u.has_value();
  }
  auto found = list_coordinates(kind, what);
  if (found)
    std::copy(found->begin(), found->end(), to.begin() + static_cast<std::ptrdiff_t>(first));
  return found.has_value();
}

/// Like `locate`, but in the range that holds here, if that depends on others.
bool encoding::locate_in(std::size_t p, const value& what, const domain& range,
                         cube_point& to) const {
  if (!space_->is_dependent(p))
    return locate(p, what, to);
  auto u = coordinate_in(p, what, range);
  to[sections_[p].first] = u.value_or(0);
  return u.has_value();
}

void encoding::measure() {
  mean_active_ = static_cast<double>(dimensions());
  if (conditional_) {
    std::size_t count = 0;
    rng from{0, "mean number of active axes", 0};
    for (std::size_t i = 0; i < draws_to_measure; ++i) {
      for (auto x : canonical(random(from)))
        count += !std::isnan(x);
    }
    mean_active_ = static_cast<double>(count) / draws_to_measure;
  }
  mean_active_ = std::max(1.0, mean_active_);
}

double encoding::draw(std::size_t i, rng& from) const {
  auto u = from.unit();
  return axes_[i].is_category() ? std::floor(u * axes_[i].cells()) : u;
}

cube_point encoding::random(rng& from) const {
  cube_point result(dimensions());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = draw(i, from);
  return result;
}

/// Activity by axis; parents are evaluated before their children.
std::vector<bool> encoding::active(const cube_point& latent) const {
  if (space_->has_dependent())
    return active_in_ranges(latent);
  const auto& all = space_->parameters();
  std::vector<value> known(all.size());
  std::vector<bool> alive(all.size(), true);
  std::vector<const value*> read;
  for (auto p : space_->order()) {
    if (all[p].active_if) {
      read.clear();
      for (auto parent : space_->parents(p))
        read.push_back(alive[parent] ? &known[parent] : nullptr);
      alive[p] = all[p].active_if->decide(read).value_or(false);
    }
    if (is_read_[p] && alive[p])
      known[p] = value_of(p, latent);
  }
  return of_axes(alive);
}

/// Converts values by parameter into values by axis.
std::vector<bool> encoding::of_axes(const std::vector<bool>& parameters) const {
  std::vector<bool> result(dimensions());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = parameters[parameters_[i]];
  return result;
}

/// Moves all coordinates, except those of dependent ranges, to the nearest values.
void encoding::snap(cube_point& latent) const {
  for (std::size_t p = 0; p < sections_.size(); ++p) {
    if (is_order(p)) {
      rank(latent, sections_[p]);
      continue;
    }
    if (space_->is_dependent(p))
      continue;
    for (auto i = sections_[p].first; i < sections_[p].first + sections_[p].count; ++i)
      latent[i] = axes_[i].snapped(latent[i]);
  }
}

cube_point encoding::canonical(const cube_point& latent) const {
  auto result = latent;
  snap(result);
  if (space_->has_dependent())
    return canonical_in_ranges(std::move(result));
  return conditional_ ? with_inactive(std::move(result), active(result)) : result;
}

cube_point encoding::with_inactive(cube_point point, const std::vector<bool>& alive) const {
  for (std::size_t i = 0; i < point.size(); ++i)
    point[i] = alive[i] ? point[i] : inactive;
  return point;
}

cube_point encoding::filled(const cube_point& canonical, rng& from) const {
  auto result = canonical;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (std::isnan(result[i]))
      result[i] = draw(i, from);
  }
  return result;
}

void encoding::mutate(cube_point& latent, double step, std::size_t count, rng& from) const {
  if (dimensions() == 0)
    return;
  for (std::size_t k = 0; k < count; ++k) {
    auto i = static_cast<std::size_t>(from.below(dimensions()));
    if (conditional_) {
      auto alive = active(latent);
      for (int tries = 0; tries < 4 && !alive[i]; ++tries)
        i = static_cast<std::size_t>(from.below(dimensions()));
    }
    change(latent, i, step, from);
  }
}

void encoding::change(cube_point& latent, std::size_t i, double step, rng& from) const {
  auto here = is_relative_[parameters_[i]] ? axis_at(i, latent) : std::nullopt;
  const auto& x = here ? *here : axes_[i];
  if (is_order(parameters_[i])) {
    const auto& all = sections_[parameters_[i]];
    auto other = all.first + static_cast<std::size_t>(from.below(all.count - 1));
    std::swap(latent[i], latent[other >= i ? other + 1 : other]);
    return;
  }
  if (x.is_category()) {
    auto other = std::floor(from.unit() * (x.cells() - 1));
    latent[i] = other >= std::floor(latent[i]) ? other + 1 : other;
    return;
  }
  auto u = moved(latent[i], step * from.normal(), from);
  if (x.is_discrete() && x.snapped(u) == x.snapped(latent[i]))
    u = std::clamp(latent[i] + (from.unit() < 0.5 ? -1 : 1) / x.cells(), 0.0, 1.0);
  latent[i] = u;
}

void encoding::shift(cube_point& latent, double step, rng& from) const {
  for (std::size_t i = 0; i < latent.size(); ++i) {
    if (!axes_[i].is_category())
      latent[i] = std::clamp(latent[i] + step * from.normal(), 0.0, 1.0);
  }
}

std::uint64_t encoding::key(const cube_point& canonical) const {
  fingerprint result;
  for (std::size_t i = 0; i < canonical.size(); ++i) {
    auto digits = axes_[i].is_discrete() ? 1e12 : 1e7;
    auto x = canonical[i];
    result.add(std::isnan(x) ? ~std::uint64_t{0}
                             : static_cast<std::uint64_t>(std::llround(x * digits)));
  }
  return result.digest();
}

std::optional<cube_point>
encoding::first_free(const std::function<bool(std::uint64_t)>& taken) const {
  cube_point digits(dimensions(), 0);
  for (;;) {
    auto point = is_counted_twice(digits) ? std::nullopt : counted(digits);
    if (point && !taken(key(*point)) && allows(*point))
      return point;
    std::size_t i = 0;
    while (i < digits.size() && ++digits[i] >= axes_[i].cells())
      digits[i++] = 0;
    if (i == digits.size())
      return std::nullopt;
  }
}

/// Whether two items of a permutation share a rank: other digits stand for the same order.
bool encoding::is_counted_twice(const cube_point& digits) const {
  for (std::size_t p = 0; p < sections_.size(); ++p) {
    if (!is_order(p))
      continue;
    auto first = digits.begin() + static_cast<std::ptrdiff_t>(sections_[p].first);
    auto last = first + static_cast<std::ptrdiff_t>(sections_[p].count);
    for (auto i = first; i != last; ++i) {
      if (std::find(i + 1, last, *i) != last)
        return true;
    }
  }
  return false;
}

std::vector<value> encoding::values(const cube_point& point) const {
  return values(point, std::vector<const value*>(sections_.size()));
}

bool encoding::allows(const cube_point& point) const {
  return space_->allows_all() || space_->allows(values(point));
}

object encoding::decoded(const cube_point& point) const {
  return space_->assemble(values(point));
}

std::optional<cube_point> encoding::encoded(const object& config) const {
  cube_point latent(dimensions(), 0);
  std::vector<const value*> given(sections_.size());
  for (std::size_t p = 0; p < sections_.size(); ++p) {
    given[p] = find_parameter(config, space_->parameters()[p].name);
    if (given[p] == nullptr || sections_[p].count == 0 || space_->is_dependent(p))
      continue;
    if (!locate(p, *given[p], latent))
      return std::nullopt;
  }
  auto result = space_->has_dependent() ? encoded_in_ranges(std::move(latent), given)
                                        : std::optional{canonical(latent)};
  for (std::size_t i = 0; result && i < result->size(); ++i) {
    if (!std::isnan((*result)[i]) && given[parameters_[i]] == nullptr)
      result.reset();
  }
  return result;
}

/// @param known Values of parameters, as far as they are known.
/// @returns empty if the range of `p` depends on parameters not known, or has no values.
std::optional<domain> encoding::range_given(std::size_t p,
                                            const std::vector<std::optional<value>>& known) const {
  if (!space_->is_dependent(p))
    return space_->parameters()[p].what;
  std::vector<const value*> read;
  for (auto parent : space_->range_parents(p)) {
    if (!known[parent])
      return std::nullopt;
    read.push_back(&*known[parent]);
  }
  return space_->range_of(p, read);
}

std::optional<cube_point> encoding::placed(const object& config) const {
  cube_point latent(dimensions());
  for (std::size_t i = 0; i < latent.size(); ++i)
    latent[i] = axes_[i].is_category() ? 0 : 0.5;
  std::vector<bool> given(sections_.size());
  std::vector<std::optional<value>> near(sections_.size());
  for (auto p : space_->order()) {
    const auto& about = space_->parameters()[p];
    const auto* x = find_parameter(config, about.name);
    given[p] = sections_[p].count == 0;
    if (const auto* fixed = std::get_if<constant>(&about.what))
      near[p] = fixed->what;
    auto range = range_given(p, near);
    if (x == nullptr || sections_[p].count == 0 || !range)
      continue;
    near[p] = nearest_in(*range, *x);
    if (!near[p] || !locate_in(p, *near[p], *range, latent))
      return std::nullopt;
    given[p] = true;
  }
  auto result = canonical(latent);
  // A parameter whose activity depends on unknown values is open.
  std::vector<bool> is_open(sections_.size());
  for (auto p : space_->order()) {
    for (auto parent : space_->parents(p))
      is_open[p] = is_open[p] || is_open[parent] || !given[parent];
    auto [first, count] = sections_[p];
    for (auto i = first; i < first + count; ++i) {
      if (!given[p])
        result[i] = inactive;
      else if (is_open[p])
        result[i] = space_->is_dependent(p) ? latent[i] : axes_[i].snapped(latent[i]);
    }
  }
  return result;
}

} // namespace tune
