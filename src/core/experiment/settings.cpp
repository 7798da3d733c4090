// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/settings.hpp"

namespace tune {

object objectives_of(const report& from, const std::vector<objective>& which) {
  object result;
  for (const auto& x : which) {
    if (auto found = metric(from, x.metric); !found.is_null())
      result.set(x.metric, std::move(found));
  }
  return result;
}

failure_policy::failure_policy() {
  budget[static_cast<std::size_t>(end_class::node_lost)] = 10;
  budget[static_cast<std::size_t>(end_class::preempted)] = unlimited;
  budget[static_cast<std::size_t>(end_class::interrupted)] = unlimited;
}

} // namespace tune
