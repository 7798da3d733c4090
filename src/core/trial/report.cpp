// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/report.hpp"

#include <optional>

namespace tune {

namespace {

double seconds(std::chrono::nanoseconds x) {
  return std::chrono::duration<double>(x).count();
}

} // namespace

value metric(const report& from, std::string_view name) {
  if (from.metrics != nullptr) {
    if (const auto* own = find_path(*from.metrics, name))
      return *own;
  }
  if (name == "training_iteration")
    return static_cast<std::int64_t>(from.iteration);
  if (name == "time_total_s")
    return seconds(from.time_total);
  if (name == "time_this_iter_s")
    return seconds(from.time_this_iter);
  if (name == "timestamp")
    return from.timestamp_ms / 1000;
  if (name == "pid")
    return from.pid;
  if (name == "done")
    return from.done;
  if (name == "trial_id")
    return to_text(from.trial);
  return {};
}

std::optional<double> metric_number(const report& from, std::string_view name) {
  // Avoid a copy in the common case: a plain metric at top level.
  if (from.metrics != nullptr) {
    if (const auto* own = from.metrics->find(name))
      return own->number();
  }
  return metric(from, name).number();
}

} // namespace tune
