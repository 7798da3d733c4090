/// The node's end of an attempt: numbers reports, counts iterations and time, keeps credit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"
#include "tune/core/trial/report.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <optional>

namespace tune {

/// Turns a trainable's metrics into reports. A value: time comes in as argument.
class attempt_session {
public:
  /// @param iteration  Number of iterations already done when the attempt begins.
  /// @param time_total Training time already spent on them.
  /// @param now        Time at which training begins.
  attempt_session(std::uint64_t iteration, std::chrono::nanoseconds time_total, instant now);

  /// Training goes on at `now`: the time since the last report was not training time.
  void go_on(instant now) { since_ = now; }

  /// The largest `training_iteration`: the whole numbers up to it are exact as floating point too.
  static constexpr std::uint64_t most_iterations = std::uint64_t{1} << 53;

  /// The `training_iteration` given by `x`; empty unless it is a whole number from 1 to
  /// `most_iterations`. Larger integers are rejected, even if floating point would round them to
  /// it.
  [[nodiscard]] static std::optional<std::uint64_t> iteration_of(const value& x);

  /// Makes the next report. A `training_iteration` among the metrics is used, else iterations are
  /// counted. `done` and the automatic names are removed from the metrics.
  /// @param wall_ms Unix time in milliseconds.
  /// @errors `ec::protocol` if `training_iteration` is not a whole number greater than the last
  ///         one; the state is unchanged then.
  [[nodiscard]] expected<report> make(object metrics, instant now, std::int64_t wall_ms);

  /// Whether `x` may be the next `training_iteration`.
  [[nodiscard]] bool may_follow(const value& x) const;

  /// The answer to the last report allows further reports up to iteration `until` without asking.
  void allow(std::uint64_t until) { credit_ = until > credit_ ? until : credit_; }
  /// Whether the last report needs no answer.
  [[nodiscard]] bool has_credit() const { return iteration_ < credit_; }

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::uint64_t iteration() const { return iteration_; }
  [[nodiscard]] std::chrono::nanoseconds time_total() const { return time_total_; }

private:
  std::uint64_t number_ = 0;
  std::uint64_t iteration_;
  std::uint64_t credit_ = 0;
  std::chrono::nanoseconds time_total_;
  instant since_;
};

} // namespace tune
