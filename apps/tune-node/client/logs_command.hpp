/// `tune-node logs DIR [TRIAL]`: what a trial printed, or the experiment's own log.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <iosfwd>

namespace tune::cli {

/// Copies a file to a stream as it grows.
class file_follower {
public:
  /// @param trusted A directory that no trial writes into.
  /// @param way     The file below it; nothing on it may be a link.
  file_follower(std::filesystem::path trusted, std::filesystem::path way)
      : trusted_{std::move(trusted)}, way_{std::move(way)} {}

  /// Copies what came since the last call, all of it the first time. A file that became shorter is
  /// begun anew. @returns whether there is such a file.
  /// @errors `ec::refused` where it is no regular file; `ec::unreadable`.
  [[nodiscard]] expected<bool> catch_up(std::ostream& out);

private:
  std::filesystem::path trusted_;
  std::filesystem::path way_;
  std::uint64_t done_ = 0;

  [[nodiscard]] expected<void> copy(int from, std::ostream& out);
};

[[nodiscard]] exit_code show_logs(const command_line& line, const logs_request& what);

} // namespace tune::cli
