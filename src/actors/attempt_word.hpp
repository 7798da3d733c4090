/// What an attempt says to its trial. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/wire.hpp"
#include "tune/core/trial/report.hpp"

#include <chrono>
#include <memory>
#include <variant>

namespace tune {

using attempt_word = std::variant<attempt_started, attempt_report, attempt_saved,
                                  attempt_save_failed, attempt_exported, attempt_ended>;

/// The report as the rules see it.
[[nodiscard]] inline std::shared_ptr<report> as_report(trial_id trial, const attempt_report& what) {
  auto result = std::make_shared<report>();
  result->trial = trial;
  result->attempt = what.attempt;
  result->number = what.number;
  result->iteration = what.iteration;
  result->time_this_iter = std::chrono::nanoseconds{what.time_this_iter_ns};
  result->time_total = std::chrono::nanoseconds{what.time_total_ns};
  result->timestamp_ms = what.timestamp_ms;
  result->pid = what.pid;
  result->done = what.done;
  result->has_checkpoint = what.has_checkpoint;
  result->metrics = what.metrics.content;
  if (result->metrics == nullptr)
    result->metrics = std::make_shared<const object>();
  return result;
}

} // namespace tune
