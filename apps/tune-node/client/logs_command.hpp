/// `tune-node logs DIR [TRIAL]`: what a trial printed, or the experiment's own log.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"

#include <filesystem>
#include <iosfwd>

namespace tune::cli {

/// Copies a file to a stream as it grows.
class file_follower {
public:
  explicit file_follower(std::filesystem::path file) : file_{std::move(file)} {}

  /// Copies what came since the last call, all of it the first time. A file that became shorter is
  /// begun anew. @returns whether there is such a file.
  bool catch_up(std::ostream& out);

private:
  std::filesystem::path file_;
  std::uintmax_t done_ = 0;
};

[[nodiscard]] exit_code show_logs(const command_line& line, const logs_request& what);

} // namespace tune::cli
