// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/dehb/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::dehb {

namespace {

/// Tolerance for rounding, so that 27 counts as 3 times 3².
constexpr double tolerance = 1e-9;

/// How often a budget can be raised.
double steps(double least, double most, double factor) {
  return std::floor(std::log(most / least) / std::log(factor) + tolerance);
}

} // namespace

plan::plan(double least, double most, double factor) {
  auto top = static_cast<std::size_t>(steps(least, most, factor));
  for (std::size_t i = 0; i <= top; ++i)
    budgets_.push_back(most * std::pow(factor, -static_cast<double>(top - i)));
  sizes_.resize(budgets_.size());
  for (auto s = top + 1; s-- > 0;)
    add_bracket(s, top, factor);
}

double plan::trials_of_first_rung(double least, double most, double factor) {
  return std::ceil(std::pow(factor, steps(least, most, factor)) - tolerance);
}

plan::plan(std::size_t population)
    : budgets_{std::numeric_limits<double>::quiet_NaN()}
    , sizes_{population}
    , jobs_(population, job{0, population, 0, false})
    , first_bracket_{population} {}

void plan::add_bracket(std::size_t s, std::size_t top, double factor) {
  auto first = std::ceil(static_cast<double>(top + 1) / static_cast<double>(s + 1)
                             * std::pow(factor, static_cast<double>(s))
                         - tolerance);
  std::size_t below = 0;
  for (std::size_t i = 0; i <= s; ++i) {
    auto share = std::floor(first * std::pow(factor, -static_cast<double>(i)) + tolerance);
    auto count = static_cast<std::size_t>(std::max(1.0, share));
    auto budget = top - s + i;
    sizes_[budget] = std::max(sizes_[budget], count);
    jobs_.insert(jobs_.end(), count, job{budget, count, below, false});
    below = count;
  }
  if (s == top)
    first_bracket_ = jobs_.size();
}

job plan::at(std::size_t number) const {
  auto result = jobs_[number % jobs_.size()];
  result.is_first = number < first_bracket_;
  return result;
}

} // namespace tune::dehb
