/// Names of columns of metrics, in tables that have other columns, too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tune {

/// The name of a metric's column: the metric's own, or `metric.NAME` where that could be the name
/// of another column: one of `others`, or one that begins as columns of parameters and other
/// metrics do (`config.`, `metric.`).
[[nodiscard]] std::string metric_column(std::string_view metric,
                                        std::span<const std::string_view> others);

} // namespace tune
