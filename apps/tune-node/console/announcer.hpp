/// Tells people what a standing process does: on stderr, and in its log file if it has one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <string>

namespace tune::cli {

/// Tells a text in one line. For any thread.
/// @param who "head", "worker". @param quiet Whether it goes to the log file alone.
void announce(const std::string& who, const std::string& text, bool quiet = false);

/// Keeps the log file of this process open. One at a time, from before the first `announce` that
/// shall be in it.
class kept_log {
public:
  /// @param file Empty: there is none. @errors `ec::storage`, naming option and file.
  [[nodiscard]] static expected<kept_log> open(const std::string& file, const std::string& who);
  kept_log(kept_log&& x) noexcept;
  kept_log& operator=(kept_log&&) = delete;
  /// Writes what waits, and closes it.
  ~kept_log();

private:
  bool is_open_ = false;
  kept_log() = default;
};

} // namespace tune::cli
