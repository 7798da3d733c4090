// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/metric_column.hpp"

#include <algorithm>

namespace tune {

std::string metric_column(std::string_view metric, std::span<const std::string_view> others) {
  constexpr std::string_view prefix = "metric.";
  const auto is_ambiguous = metric.starts_with(prefix) || metric.starts_with("config.")
                            || std::find(others.begin(), others.end(), metric) != others.end();
  return is_ambiguous ? std::string{prefix}.append(metric) : std::string{metric};
}

} // namespace tune
