/// Snapshots as fields of JSON objects, for `told`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "tune/io/field_reader.hpp"

namespace tune::cli {

/// Metrics are sent as JSON in a text of their own: texts like "nan" are read as numbers only where
/// numbers are expected.
[[nodiscard]] value metrics_text(const object* x);
/// Null if there were none.
[[nodiscard]] metrics_ptr read_metrics(field_reader& from, std::string_view name);

/// @param whole Whether to include all metrics of the best trial; otherwise only its objectives.
[[nodiscard]] object to_object(const run_snapshot& x, bool whole);
[[nodiscard]] run_snapshot read_snapshot(const object& x, field_reader& faults);

/// The metrics that `objectives` name, with the other content of the same members.
[[nodiscard]] object only_objectives(const object& metrics,
                                     const std::vector<objective>& objectives);

[[nodiscard]] config_ptr read_config(field_reader& from, std::string_view name);

[[nodiscard]] value status_number(trial_status x);
[[nodiscard]] trial_status read_status(field_reader& from, std::string_view name);

[[nodiscard]] inline value nanoseconds_value(std::chrono::nanoseconds x) {
  return value{static_cast<std::int64_t>(x.count())};
}
[[nodiscard]] inline std::chrono::nanoseconds read_nanoseconds(field_reader& from,
                                                               std::string_view name) {
  return std::chrono::nanoseconds{from.get<std::int64_t>(name)};
}
[[nodiscard]] inline value count_value(std::uint64_t x) {
  return value{static_cast<std::int64_t>(x)};
}

} // namespace tune::cli
