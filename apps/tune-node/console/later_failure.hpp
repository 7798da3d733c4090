/// How a best trial says that it failed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/status.hpp"

#include <string_view>

namespace tune::cli {

/// Behind a best trial that failed after its best report. Text from a head or of a record.
/// @returns " (which failed later)" for "ERRORED", else nothing.
[[nodiscard]] inline std::string_view later_failure(std::string_view status) {
  return status == to_text(trial_status::errored) ? " (which failed later)" : "";
}

[[nodiscard]] inline std::string_view later_failure(trial_status status) {
  return later_failure(to_text(status));
}

} // namespace tune::cli
