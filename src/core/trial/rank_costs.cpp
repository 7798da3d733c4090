// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/rank_costs.hpp"

namespace tune {

void add_beside(cost_sheet& to, const cost_sheet& other) {
  for (std::size_t i = 0; i < cost_kind_count; ++i) {
    const auto kind = static_cast<cost_kind>(i);
    if (const auto x = other.of(kind))
      to.set(kind, to.of(kind).value_or(0) + *x);
  }
}

} // namespace tune
