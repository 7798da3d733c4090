// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune {

namespace {

using answer = std::optional<value>;

std::optional<double> plain_number(const value& x) {
  if (x.as_int() == nullptr && x.as_double() == nullptr)
    return std::nullopt;
  auto number = *x.number();
  return std::isfinite(number) ? std::optional{number} : std::nullopt;
}

/// Member of a list of numbers that is nearest to a number between its ends.
answer nearest_of(const std::vector<value>& options, const value& x) {
  if (std::find(options.begin(), options.end(), x) != options.end())
    return x;
  auto wanted = plain_number(x);
  auto is_list = !options.empty()
                 && std::all_of(options.begin(), options.end(),
                                [](const value& y) { return plain_number(y).has_value(); });
  if (!wanted || !is_list)
    return std::nullopt;
  auto less = [](const value& a, const value& b) { return *a.number() < *b.number(); };
  auto [low, high] = std::minmax_element(options.begin(), options.end(), less);
  if (*wanted < *low->number() || *wanted > *high->number())
    return std::nullopt;
  return *std::min_element(options.begin(), options.end(), [&](const value& a, const value& b) {
    return std::abs(*a.number() - *wanted) < std::abs(*b.number() - *wanted);
  });
}

struct nearest_finder {
  const value& x;

  answer operator()(const float_range& of) const {
    auto number = plain_number(x);
    if (!number || *number < of.low || *number > of.high)
      return std::nullopt;
    auto near = *number;
    if (of.step > 0)
      near = std::clamp(std::round(near / of.step) * of.step, of.low, of.high);
    return value{near};
  }
  answer operator()(const int_range& of) const {
    auto number = plain_number(x);
    auto most = of.step > 1 ? of.high : of.high - 1;
    if (!number || *number < static_cast<double>(of.low) || *number > static_cast<double>(most))
      return std::nullopt;
    if (x.as_int() != nullptr && of.step <= 1)
      return x;
    auto step = std::max<std::int64_t>(of.step, 1);
    auto whole = std::llround(*number / static_cast<double>(step)) * step;
    // Ends that are not multiples of the step are not values of the range.
    whole += whole < of.low ? step : whole > most ? -step : 0;
    value near{std::int64_t{whole}};
    return contains(of, near) ? answer{std::move(near)} : std::nullopt;
  }
  answer operator()(const normal_range& of) const {
    auto number = plain_number(x);
    if (!number)
      return std::nullopt;
    auto near = of.step > 0 ? std::round(*number / of.step) * of.step : *number;
    return value{near};
  }
  answer operator()(const dependent_range& of) const {
    return contains(of, x) ? answer{x} : std::nullopt;
  }
  answer operator()(const choice_of& of) const { return nearest_of(of.options, x); }
  answer operator()(const grid_of& of) const { return nearest_of(of.options, x); }
  answer operator()(const constant& of) const { return x == of.what ? answer{x} : std::nullopt; }
  answer operator()(const permutation_of& of) const {
    return contains(of, x) ? answer{x} : std::nullopt;
  }
  answer operator()(const subset_of& of) const {
    return contains(of, x) ? answer{in_member_order(of, x)} : std::nullopt;
  }
};

} // namespace

value in_member_order(const domain& of, const value& x) {
  const auto* subset = std::get_if<subset_of>(&of);
  if (subset == nullptr || !contains(of, x))
    return x;
  const auto& members = *x.as_list();
  value::list result;
  for (const auto& item : subset->items) {
    if (std::find(members.begin(), members.end(), item) != members.end())
      result.push_back(item);
  }
  return value{std::move(result)};
}

std::optional<value> nearest_in(const domain& what, const value& x) {
  return std::visit(nearest_finder{x}, what);
}

} // namespace tune
