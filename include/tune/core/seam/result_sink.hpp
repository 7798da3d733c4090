/// Destinations of results besides the database: files, services. A sink follows the committed log.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"

#include <string_view>

namespace tune {

/// Follows the log at its own pace: a slow sink lags, but needs no more memory. Used by one thread;
/// may block.
class result_sink {
public:
  virtual ~result_sink() = default;

  /// "trial_files", … for messages.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Sequence number of the last event that was processed; 0 at first.
  [[nodiscard]] virtual sequence cursor() const = 0;

  /// Processes all events up to and including `committed`, which must be on disk. After an error
  /// the next call continues where this one stopped, and no output is repeated.
  [[nodiscard]] virtual expected<void> catch_up(sequence committed) = 0;
  /// The run ends in order: completes open output.
  [[nodiscard]] virtual expected<void> close() = 0;
};

} // namespace tune
