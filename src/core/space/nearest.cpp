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

namespace {

/// The same number as an integer; empty if it is none.
std::optional<std::int64_t> same_integer(const value& x) {
  if (const auto* number = x.as_int())
    return *number;
  const auto* real = x.as_double();
  // The upper bound is 2^63, which no integer of 64 bits reaches.
  if (real == nullptr || *real != std::trunc(*real) || *real < -0x1p63 || *real >= 0x1p63)
    return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

/// The member that is `x`, or the only one that is the same number; else `x`.
value member_like(const std::vector<value>& members, const value& x) {
  auto number = same_integer(x);
  if (!number || std::find(members.begin(), members.end(), x) != members.end())
    return x;
  const value* found = nullptr;
  for (const auto& member : members) {
    if (same_integer(member) != number)
      continue;
    if (found != nullptr && *found != member)
      return x;
    found = &member;
  }
  return found != nullptr ? *found : x;
}

value items_like(const std::vector<value>& members, const value& x) {
  const auto* items = x.as_list();
  if (items == nullptr)
    return x;
  value::list result;
  for (const auto& item : *items)
    result.push_back(member_like(members, item));
  return value{std::move(result)};
}

struct drawn_form {
  const value& x;

  value operator()(const float_range&) const { return real(); }
  value operator()(const normal_range&) const { return real(); }
  value operator()(const int_range&) const { return integer(); }
  value operator()(const dependent_range& of) const { return of.whole ? integer() : real(); }
  value operator()(const choice_of& of) const { return member_like(of.options, x); }
  value operator()(const grid_of& of) const { return member_like(of.options, x); }
  value operator()(const constant& of) const { return member_like({of.what}, x); }
  value operator()(const permutation_of& of) const { return items_like(of.items, x); }
  value operator()(const subset_of& of) const {
    return in_member_order(of, items_like(of.items, x));
  }

private:
  value real() const { return x.as_int() != nullptr ? value{*x.number()} : x; }
  value integer() const {
    auto number = same_integer(x);
    return number ? value{*number} : x;
  }
};

} // namespace

value as_drawn(const domain& of, const value& x) {
  return std::visit(drawn_form{x}, of);
}

std::optional<value> nearest_in(const domain& what, const value& x) {
  return std::visit(nearest_finder{x}, what);
}

} // namespace tune
