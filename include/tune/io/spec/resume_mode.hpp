/// Treatment of failed trials when an experiment is resumed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tune {

enum class resume_mode : std::uint8_t {
  /// Failed trials stay as they are; all others go on.
  automatic,
  /// Failed trials run again from their newest checkpoints, each with its full budget of failures,
  /// and nothing else runs: unfinished trials wait for the next time.
  errored_only,
  /// Failed trials run again from the beginning; all others go on.
  restart_errored,
};

/// "auto", "errored_only", "restart_errored".
inline constexpr std::array<std::string_view, 3> resume_mode_names{"auto", "errored_only",
                                                                   "restart_errored"};

[[nodiscard]] inline std::string_view to_text(resume_mode x) {
  return resume_mode_names[static_cast<std::size_t>(x)];
}

[[nodiscard]] inline std::optional<resume_mode> resume_mode_from(std::string_view name) {
  for (std::size_t i = 0; i < resume_mode_names.size(); ++i) {
    if (resume_mode_names[i] == name)
      return static_cast<resume_mode>(i);
  }
  return std::nullopt;
}

} // namespace tune
