/// Where results go beside the database: files, services. A tailer of the committed log.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"

#include <string_view>

namespace tune {

/// Follows the log at its own pace: slow means lag, never memory. For one thread; may block.
class result_sink {
public:
  virtual ~result_sink() = default;

  /// "trial_files", … for messages.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// The last event that has been taken in; 0 at first.
  [[nodiscard]] virtual sequence cursor() const = 0;

  /// Takes in all events up to and with `committed`, which must be on disk. After an error the
  /// next call tries again from where it stands, and nothing comes out twice.
  [[nodiscard]] virtual expected<void> catch_up(sequence committed) = 0;
  /// The run ends in order: finishes what is open.
  [[nodiscard]] virtual expected<void> close() = 0;
};

} // namespace tune
