// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/idle_comparison.hpp"

#include "is_number.hpp"

#include "tune/core/space/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tune {

namespace {

/// Whether some number of a range relates to `limit` in this way. Both bounds count as inside.
bool some_between(double low, double high, relation how, double limit) {
  switch (how) {
    case relation::less:
      return low < limit;
    case relation::at_most:
      return low <= limit;
    case relation::greater:
      return high > limit;
    case relation::at_least:
      return high >= limit;
    default:
      return limit >= low && limit <= high;
  }
}

/// Tells whether the comparison holds for some value of a domain; true if that is hard to tell.
struct finder {
  relation how;
  const value& literal;

  bool operator()(const constant&) const { return true; }
  bool operator()(const choice_of& x) const { return one_of(x.options); }
  bool operator()(const grid_of& x) const { return one_of(x.options); }
  bool operator()(const permutation_of&) const { return true; }
  bool operator()(const subset_of&) const { return true; }
  bool operator()(const dependent_range&) const { return true; }
  bool operator()(const normal_range&) const { return is_number(literal); }
  bool operator()(const float_range& x) const {
    return is_number(literal) && some_between(x.low, x.high, how, *literal.number());
  }
  bool operator()(const int_range& x) const {
    if (!is_number(literal))
      return false;
    auto last = x.step > 1 ? x.high : x.high - 1;
    auto whole = how != relation::equal || std::trunc(*literal.number()) == *literal.number();
    return whole
           && some_between(static_cast<double>(x.low), static_cast<double>(last), how,
                           *literal.number());
  }

private:
  bool one_of(const std::vector<value>& options) const {
    return std::any_of(options.begin(), options.end(),
                       [this](const value& x) { return compare(x, how, literal); });
  }
};

/// Why a comparison is pointless: it always or never holds; empty if it is not.
std::string why_idle(const parameter_comparison& x, const domain& of) {
  auto differs = x.how == relation::unequal;
  if (std::visit(finder{differs ? relation::equal : x.how, x.literal}, of))
    return {};
  return x.name + ' ' + std::string{to_text(x.how)} + ' ' + to_text(x.literal)
         + (differs ? " always" : " never") + " holds: " + x.name + " is " + to_text(of);
}

} // namespace

std::vector<idle_comparison> idle_comparisons(const search_space& space) {
  std::map<std::string_view, const domain*> domains;
  for (std::size_t i = 0; i < space.parameters().size(); ++i)
    domains.emplace(space.parameters()[i].name, &space.widest(i));
  std::vector<idle_comparison> result;
  for (const auto& each : space.parameters()) {
    if (!each.active_if)
      continue;
    for (const auto& x : comparisons_of(*each.active_if)) {
      auto why = why_idle(x, *domains.at(x.name));
      if (!why.empty())
        result.push_back({each.name, std::move(why)});
    }
  }
  return result;
}

} // namespace tune
