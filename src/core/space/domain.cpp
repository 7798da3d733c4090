// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/domain.hpp"

#include "tune/core/space/quantum.hpp"
#include "tune/core/stable_math.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune {

namespace {

/// Number at the fraction `u` of the way from `low` to `high`, linearly or on a logarithmic scale.
double between(double low, double high, bool log, double u) {
  if (!log)
    return low + u * (high - low);
  auto from = stable_log(low);
  auto width = stable_log(high) - from;
  // Exact at u = 0; the other form is needed only if the ratio of the bounds overflows.
  return width < 700 ? low * stable_exp(u * width) : stable_exp(from + u * width);
}

/// One of `n` equally likely whole numbers from 0. [n >= 1]
std::uint64_t index_at(std::uint64_t n, double u) {
  auto i = u * static_cast<double>(n);
  return i < static_cast<double>(n) ? std::min(static_cast<std::uint64_t>(i), n - 1) : n - 1;
}

/// One of the whole numbers `first` … `last`. With `log`, each has the weight of the cell of width
/// one around it on the logarithmic scale, so that the ends keep their full weight.
double step_at(double first, double last, bool log, double u) {
  if (!log)
    return first + static_cast<double>(index_at(static_cast<std::uint64_t>(last - first) + 1, u));
  return std::clamp(std::round(between(first - 0.5, last + 0.5, true, u)), first, last);
}

double value_at(const float_range& x, double u) {
  if (x.step > 0) {
    auto first = std::round(x.low / x.step);
    auto last = std::round(x.high / x.step);
    return multiple_of(x.step, step_at(first, last, x.log, u));
  }
  auto below = std::nextafter(x.high, x.low);
  return std::clamp(between(x.low, x.high, x.log, u), x.low, below);
}

std::int64_t offset(std::int64_t from, std::uint64_t by) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + by);
}

std::uint64_t distance(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

std::int64_t value_at(const int_range& x, double u) {
  if (x.step > 1) {
    auto [first, last] = steps_between(x.low, x.high, x.step);
    if (!x.log)
      return x.step * offset(first, index_at(distance(first, last) + 1, u));
    auto k = step_at(static_cast<double>(first), static_cast<double>(last), true, u);
    return x.step * std::clamp(static_cast<std::int64_t>(k), first, last);
  }
  if (!x.log)
    return offset(x.low, index_at(distance(x.low, x.high), u));
  auto real = std::floor(between(static_cast<double>(x.low), static_cast<double>(x.high), true, u));
  // Compared as floats, since the cast is undefined beyond 2^63.
  if (real >= static_cast<double>(x.high))
    return x.high - 1;
  return std::clamp(static_cast<std::int64_t>(real), x.low, x.high - 1);
}

double value_at(const normal_range& x, double u) {
  constexpr double least = 0x1p-54; // half of the smallest positive `u`
  auto real = x.mean + x.sd * normal_quantile(std::max(u, least));
  return x.step > 0 ? multiple_of(x.step, std::round(real / x.step)) : real;
}

std::uint64_t factorial(std::size_t n) {
  std::uint64_t result = 1;
  for (std::uint64_t i = 2; i <= n; ++i)
    result *= i;
  return result;
}

/// Permutation number `index`, in the order in which those that begin with the first item come
/// first.
value nth_order(std::vector<value> items, std::uint64_t index) {
  value::list result;
  while (!items.empty()) {
    auto each = factorial(items.size() - 1);
    auto first = items.begin() + static_cast<std::ptrdiff_t>(index / each);
    result.push_back(std::move(*first));
    items.erase(first);
    index %= each;
  }
  return value{std::move(result)};
}

/// The items whose bit of `index` is set.
value nth_subset(const std::vector<value>& items, std::uint64_t index) {
  value::list result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if ((index >> i & 1) != 0)
      result.push_back(items[i]);
  }
  return value{std::move(result)};
}

std::uint64_t count_of(const permutation_of& x) {
  return factorial(x.items.size());
}

std::uint64_t count_of(const subset_of& x) {
  return std::uint64_t{1} << x.items.size();
}

value value_at(const permutation_of& x, double u) {
  return nth_order(x.items, index_at(count_of(x), u));
}

value value_at(const subset_of& x, double u) {
  return nth_subset(x.items, index_at(count_of(x), u));
}

/// Whether `x` is a list of items without duplicates.
bool lists_each_once(const std::vector<value>& items, const value& x) {
  const auto* list = x.as_list();
  if (list == nullptr)
    return false;
  for (auto i = list->begin(); i != list->end(); ++i) {
    auto again = std::find(i + 1, list->end(), *i) != list->end();
    if (again || std::find(items.begin(), items.end(), *i) == items.end())
      return false;
  }
  return true;
}

struct picker {
  double u;

  value operator()(const constant& x) const { return x.what; }
  value operator()(const choice_of& x) const { return x.options[index_at(x.options.size(), u)]; }
  value operator()(const grid_of& x) const { return x.options[index_at(x.options.size(), u)]; }
  value operator()(const dependent_range&) const { return {}; }
  template <class Range>
  value operator()(const Range& x) const {
    return value_at(x, u);
  }
};

bool is_one_of(const std::vector<value>& options, const value& x) {
  return std::find(options.begin(), options.end(), x) != options.end();
}

/// Number of a value for a float parameter, which may be written as a whole number: `lr = 1`.
std::optional<double> real(const value& x) {
  if (x.as_bool() != nullptr)
    return std::nullopt;
  auto number = x.number();
  return number && std::isfinite(*number) ? number : std::nullopt;
}

struct tester {
  const value& x;

  bool operator()(const constant& d) const { return d.what == x; }
  bool operator()(const choice_of& d) const { return is_one_of(d.options, x); }
  bool operator()(const grid_of& d) const { return is_one_of(d.options, x); }
  bool operator()(const permutation_of& d) const {
    return lists_each_once(d.items, x) && x.as_list()->size() == d.items.size();
  }
  bool operator()(const subset_of& d) const { return lists_each_once(d.items, x); }
  bool operator()(const float_range& d) const {
    auto number = real(x);
    if (!number)
      return false;
    if (d.step <= 0)
      return *number >= d.low && *number <= d.high;
    auto k = steps_of(d.step, *number);
    return k && *k >= std::round(d.low / d.step) && *k <= std::round(d.high / d.step);
  }
  bool operator()(const normal_range& d) const {
    auto number = real(x);
    return number && (d.step <= 0 || steps_of(d.step, *number));
  }
  bool operator()(const int_range& d) const {
    const auto* whole = x.as_int();
    if (whole == nullptr || *whole < d.low)
      return false;
    return d.step > 1 ? *whole <= d.high && *whole % d.step == 0 : *whole < d.high;
  }
  bool operator()(const dependent_range& d) const {
    return d.whole ? x.as_int() != nullptr : real(x).has_value();
  }
};

} // namespace

namespace {

/// Lists the values of a domain; empty if it is infinite or has more than `most`.
struct lister {
  using answer = std::optional<std::vector<value>>;

  std::size_t most;

  answer operator()(const constant& d) const { return limited({d.what}); }
  answer operator()(const choice_of& d) const { return limited(d.options); }
  answer operator()(const grid_of& d) const { return limited(d.options); }
  answer operator()(const permutation_of& d) const {
    return counted(count_of(d), [&](std::uint64_t i) { return nth_order(d.items, i); });
  }
  answer operator()(const subset_of& d) const {
    return counted(count_of(d), [&](std::uint64_t i) { return nth_subset(d.items, i); });
  }
  answer operator()(const normal_range&) const { return std::nullopt; }
  answer operator()(const dependent_range&) const { return std::nullopt; }
  answer operator()(const float_range& d) const {
    if (d.step <= 0)
      return std::nullopt;
    auto first = std::round(d.low / d.step);
    auto last = std::round(d.high / d.step);
    if (last - first >= static_cast<double>(most))
      return std::nullopt;
    std::vector<value> result;
    for (auto k = first; k <= last; ++k)
      result.emplace_back(multiple_of(d.step, k));
    return result;
  }
  answer operator()(const int_range& d) const {
    auto [first, last]
        = d.step > 1 ? steps_between(d.low, d.high, d.step) : step_range{d.low, d.high - 1};
    auto gap = distance(first, last);
    if (gap >= most)
      return std::nullopt;
    std::vector<value> result;
    for (std::uint64_t i = 0; i <= gap; ++i)
      result.emplace_back(std::max<std::int64_t>(d.step, 1) * offset(first, i));
    return result;
  }

private:
  template <class ValueOf>
  answer counted(std::uint64_t count, const ValueOf& value_of) const {
    if (count > most)
      return std::nullopt;
    std::vector<value> result;
    for (std::uint64_t i = 0; i < count; ++i)
      result.push_back(value_of(i));
    return result;
  }
  answer limited(std::vector<value> xs) const {
    return xs.size() > most ? std::nullopt : answer{std::move(xs)};
  }
};

} // namespace

std::optional<std::vector<value>> all_values(const domain& what, std::size_t most) {
  return std::visit(lister{most}, what);
}

value at_quantile(const domain& what, double u) {
  return std::visit(picker{u}, what);
}

value sample(const domain& what, rng& from) {
  return at_quantile(what, from.unit());
}

bool draws_floats(const domain& what) {
  const auto* depends = std::get_if<dependent_range>(&what);
  return std::holds_alternative<float_range>(what) || std::holds_alternative<normal_range>(what)
         || (depends != nullptr && !depends->whole);
}

bool contains(const domain& what, const value& x) {
  return std::visit(tester{x}, what);
}

} // namespace tune
