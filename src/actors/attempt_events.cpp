// SPDX-License-Identifier: BSD-3-Clause
#include "attempt_events.hpp"

#include "rank_ends.hpp"

#include "tune/core/trial/costs.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace tune {

namespace {

/// Whether the location is among the attempt's own checkpoints.
bool is_own(trial_id trial, const attempt_saved& what) {
  const auto folder = checkpoint_folder(trial, what.attempt).string() + "/";
  return what.location.empty() || what.location.starts_with(kept_in_memory)
         || (what.location.starts_with(folder) && is_checkpoint_location(what.location));
}

} // namespace

event_body event_of(trial_id trial, const attempt_started& what) {
  return on::started{trial, what.attempt, what.pid, what.exports};
}

event_body event_of(trial_id trial, const attempt_saved& what, bool is_far) {
  if (is_far && !is_own(trial, what))
    return on::save_failed{trial,
                           what.attempt,
                           checkpoint_id{what.checkpoint},
                           "its node names a place that is not the attempt's: " + what.location,
                           what.iteration,
                           false};
  return on::saved{trial,
                   what.attempt,
                   checkpoint_id{what.checkpoint},
                   what.iteration,
                   std::chrono::nanoseconds{what.time_total_ns},
                   what.location,
                   what.bytes};
}

event_body event_of(trial_id trial, const attempt_save_failed& what) {
  return on::save_failed{trial,    what.attempt,   checkpoint_id{what.checkpoint},
                         what.why, what.iteration, what.unable};
}

std::optional<event_body> event_of(trial_id trial, const attempt_exported& what) {
  const auto count = what.formats.size();
  if (what.paths.size() != count || what.whys.size() != count)
    return std::nullopt;
  on::exported result{trial, what.attempt, what.location, what.bytes, {}};
  for (std::size_t i = 0; i < count; ++i)
    result.formats.push_back({what.formats[i], what.paths[i], what.whys[i]});
  return result;
}

event_body event_of(trial_id trial, const attempt_ended& what) {
  on::ended result{trial, what.attempt, class_of(what), what.detail, {}, what.came_late};
  if (what.has_status)
    result.exit_status = what.exit_status;
  // Whatever else a worker sends is not written down.
  result.costs = to_record(from_record(what.costs.content));
  return result;
}

attempt_ended end_without_word(attempt_key attempt, const std::string& why) {
  attempt_ended result;
  result.attempt = attempt;
  result.how = static_cast<std::uint8_t>(end_class::killed);
  result.detail = "the trainable went away: " + why;
  return result;
}

halt_mode mode_of(const attempt_halt& what) {
  return what.how <= static_cast<std::uint8_t>(halt_mode::kill) ? static_cast<halt_mode>(what.how)
                                                                : halt_mode::kill;
}

std::vector<remark> remarks_of(trial_id trial, const std::vector<std::string>& pairs) {
  std::vector<remark> result;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
    result.push_back(remark{"trial " + to_text(trial) + ": " + pairs[i + 1], pairs[i]});
  return result;
}

} // namespace tune
