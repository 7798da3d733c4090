// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/unreached_bounds.hpp"

#include "tune/core/space/quantum.hpp"

namespace tune {

std::string unreached_bounds(const domain& what) {
  const auto* range = std::get_if<int_range>(&what);
  if (range == nullptr || range->step <= 1)
    return {};
  const auto q = range->step;
  const auto [first, last] = steps_between(range->low, range->high, q);
  auto unreached
      = [q](std::string_view name, std::int64_t bound, std::string_view end, std::int64_t steps) {
          return std::string{name} + " = " + std::to_string(bound)
                 + " is no multiple of q = " + std::to_string(q) + ": the " + std::string{end}
                 + " value is " + std::to_string(steps * q);
        };
  std::string result;
  if (range->low % q != 0)
    result = unreached("low", range->low, "least", first);
  if (range->high % q != 0)
    result += (result.empty() ? "" : "; ") + unreached("high", range->high, "greatest", last);
  return result;
}

} // namespace tune
