// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/attempt_session.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace tune {

namespace {

constexpr std::size_t longest_text = 60;

std::string short_text(const value& x) {
  auto result = to_text(x);
  return result.size() > longest_text ? result.substr(0, longest_text) + "…" : result;
}

} // namespace

attempt_session::attempt_session(std::uint64_t iteration, std::chrono::nanoseconds time_total,
                                 instant now)
    : iteration_{iteration}, time_total_{time_total}, since_{now} {}

std::optional<std::uint64_t> attempt_session::iteration_of(const value& x) {
  if (const auto* whole = x.as_int()) {
    const auto fits = *whole >= 1 && static_cast<std::uint64_t>(*whole) <= most_iterations;
    return fits ? std::optional{static_cast<std::uint64_t>(*whole)} : std::nullopt;
  }
  constexpr auto most = static_cast<double>(most_iterations);
  const auto* number = x.as_double();
  if (number == nullptr || !(*number >= 1 && *number <= most) || std::floor(*number) != *number)
    return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

bool attempt_session::may_follow(const value& x) const {
  auto next = iteration_of(x);
  return next && *next > iteration_;
}

expected<report> attempt_session::make(object metrics, instant now, std::int64_t wall_ms) {
  auto next = iteration_ + 1;
  if (const auto* own = metrics.find("training_iteration")) {
    if (!may_follow(*own))
      return error{ec::protocol, "training_iteration must be a whole number beyond the last one, "
                                     + std::to_string(iteration_) + ", and at most 2^53, not "
                                     + short_text(*own)};
    next = *iteration_of(*own);
    metrics.erase("training_iteration");
  } else if (next > most_iterations) {
    return error{ec::protocol, "training_iteration cannot be counted beyond 2^53"};
  }
  report result;
  result.number = ++number_;
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
