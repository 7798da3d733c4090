// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/attempt_session.hpp"

#include <utility>

namespace tune {

attempt_session::attempt_session(std::uint64_t iteration, std::chrono::nanoseconds time_total,
                                 instant now)
    : iteration_{iteration}, time_total_{time_total}, since_{now} {}

report attempt_session::make(object metrics, instant now, std::int64_t wall_ms) {
  report result;
  result.number = ++number_;
  auto next = iteration_ + 1;
  if (const auto* own = metrics.find("training_iteration")) {
    const auto* whole = own->as_int();
    if (whole != nullptr && *whole > 0 && static_cast<std::uint64_t>(*whole) >= next)
      next = static_cast<std::uint64_t>(*whole);
    metrics.erase("training_iteration");
  }
  iteration_ = next;
  if (const auto* last = metrics.find("done")) {
    result.done = last->as_bool() != nullptr && *last->as_bool();
    metrics.erase("done");
  }
  for (const auto* name : {"time_total_s", "time_this_iter_s", "trial_id", "pid", "timestamp"})
    metrics.erase(name);
  result.iteration = iteration_;
  result.time_this_iter = now - since_;
  time_total_ += result.time_this_iter;
  since_ = now;
  result.time_total = time_total_;
  result.timestamp_ms = wall_ms;
  result.metrics = std::make_shared<const object>(std::move(metrics));
  return result;
}

} // namespace tune
