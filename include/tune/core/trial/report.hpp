/// A report of a trainable, as it travels from the trainable to the experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tune {

/// One set of metrics of one attempt, with the runtime's additions.
struct report {
  trial_id trial;
  attempt_id attempt;
  /// Counts the attempt's reports from 1 without gaps; acknowledgements refer to it.
  std::uint64_t number = 0;
  /// `training_iteration`: given by the trainable, or counted. Rises within an attempt. [>= 1]
  std::uint64_t iteration = 0;
  /// Training time of this iteration and of all iterations of the trial so far.
  std::chrono::nanoseconds time_this_iter{0};
  std::chrono::nanoseconds time_total{0};
  /// Unix time at which the report was made, in milliseconds.
  std::int64_t timestamp_ms = 0;
  /// Process that made it; 0 if it ran inside the runtime's own process.
  std::int64_t pid = 0;
  /// True if the trainable says that this is its last report.
  bool done = false;
  /// True if a checkpoint came with it: unless its attempt ends before, `on::saved` or
  /// `on::save_failed` tells its outcome.
  bool has_checkpoint = false;
  /// The user's metrics, without the automatic ones.
  metrics_ptr metrics;
};

/// Looks up a metric by name, automatic ones included (`training_iteration`, `time_total_s`,
/// `time_this_iter_s`, `timestamp`, `pid`, `done`, `trial_id`); nested names are joined by '/'.
/// @returns null if the report has no metric of that name.
[[nodiscard]] value metric(const report& from, std::string_view name);

/// The number of a metric; empty if it is missing or not a number. NaN is a number here.
[[nodiscard]] std::optional<double> metric_number(const report& from, std::string_view name);

} // namespace tune
