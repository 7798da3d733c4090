// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/encoding/encoding.hpp"

#include "tune/core/fingerprint.hpp"

#include <algorithm>
#include <cmath>

namespace tune {

namespace {

constexpr std::size_t draws_to_measure = 200;

/// A number moved past an end stops there or comes back, half each.
double moved(double u, double by, rng& from) {
  u += by;
  if (u < 0)
    u = from.unit() < 0.5 ? 0 : -u;
  else if (u > 1)
    u = from.unit() < 0.5 ? 1 : 2 - u;
  return std::clamp(u, 0.0, 1.0);
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
  axis_of_.assign(all.size(), -1);
  is_read_.assign(all.size(), false);
  for (std::size_t p = 0; p < all.size(); ++p) {
    for (auto parent : space_->parents(p))
      is_read_[parent] = true;
    conditional_ = conditional_ || all[p].active_if.has_value();
    auto made = axis::make(all[p].what);
    if (!made)
      continue;
    axis_of_[p] = static_cast<std::ptrdiff_t>(axes_.size());
    size_ *= made->is_finite() ? made->cells() : std::numeric_limits<double>::infinity();
    parameters_.push_back(p);
    axes_.push_back(std::move(*made));
  }
}

void encoding::count_children() {
  children_.assign(axes_.size(), 0);
  for (std::size_t p = 0; p < axis_of_.size(); ++p) {
    for (auto parent : space_->parents(p)) {
      auto i = axis_of_[parent];
      if (i >= 0 && !space_->parameters()[parent].active_if)
        ++children_[static_cast<std::size_t>(i)];
    }
  }
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

/// By axis; parents are looked at before their children.
std::vector<bool> encoding::active(const cube_point& latent) const {
  const auto& all = space_->parameters();
  std::vector<value> known(all.size());
  std::vector<bool> alive(all.size(), true);
  std::vector<bool> result(dimensions(), true);
  std::vector<const value*> read;
  for (auto p : space_->order()) {
    if (all[p].active_if) {
      read.clear();
      for (auto parent : space_->parents(p))
        read.push_back(alive[parent] ? &known[parent] : nullptr);
      alive[p] = all[p].active_if->decide(read).value_or(false);
    }
    auto i = axis_of_[p];
    if (i >= 0)
      result[static_cast<std::size_t>(i)] = alive[p];
    if (!is_read_[p] || !alive[p])
      continue;
    known[p] = i >= 0 ? axes_[static_cast<std::size_t>(i)].at(latent[static_cast<std::size_t>(i)])
                      : at_quantile(all[p].what, 0);
  }
  return result;
}

cube_point encoding::canonical(const cube_point& latent) const {
  cube_point result(dimensions());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = axes_[i].snapped(latent[i]);
  if (conditional_) {
    auto alive = active(result);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = alive[i] ? result[i] : inactive;
  }
  return result;
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
    const auto& x = axes_[i];
    if (x.is_category()) {
      auto other = std::floor(from.unit() * (x.cells() - 1));
      latent[i] = other >= std::floor(latent[i]) ? other + 1 : other;
      continue;
    }
    auto u = moved(latent[i], step * from.normal(), from);
    if (x.is_discrete() && x.snapped(u) == x.snapped(latent[i]))
      u = std::clamp(latent[i] + (from.unit() < 0.5 ? -1 : 1) / x.cells(), 0.0, 1.0);
    latent[i] = u;
  }
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
  cube_point latent(dimensions());
  for (;;) {
    for (std::size_t i = 0; i < digits.size(); ++i)
      latent[i] = axes_[i].coordinate_of_cell(digits[i]);
    auto point = canonical(latent);
    if (!taken(key(point)))
      return point;
    std::size_t i = 0;
    while (i < digits.size() && ++digits[i] >= axes_[i].cells())
      digits[i++] = 0;
    if (i == digits.size())
      return std::nullopt;
  }
}

std::vector<value> encoding::values(const cube_point& point) const {
  const auto& all = space_->parameters();
  std::vector<value> result(all.size());
  for (std::size_t p = 0; p < all.size(); ++p) {
    auto i = static_cast<std::size_t>(axis_of_[p]);
    if (axis_of_[p] < 0)
      result[p] = at_quantile(all[p].what, 0);
    else
      result[p] = axes_[i].at(std::isnan(point[i]) ? 0 : point[i]);
  }
  return result;
}

object encoding::decoded(const cube_point& point) const {
  return space_->assemble(values(point));
}

std::optional<cube_point> encoding::encoded(const object& config) const {
  cube_point latent(dimensions(), 0);
  std::vector<bool> given(dimensions());
  for (std::size_t i = 0; i < latent.size(); ++i) {
    const auto* x = find_parameter(config, parameter_of(i).name);
    if (x == nullptr)
      continue;
    auto u = axes_[i].coordinate(*x);
    if (!u)
      return std::nullopt;
    latent[i] = *u;
    given[i] = true;
  }
  auto result = canonical(latent);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!std::isnan(result[i]) && !given[i])
      return std::nullopt;
  }
  return result;
}

} // namespace tune
