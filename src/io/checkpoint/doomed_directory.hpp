/// A directory that goes unless somebody keeps it. Private to checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <system_error>
#include <utility>

namespace tune {

/// Removes a directory at its end: when work is given up, too.
struct doomed_directory {
  /// Empty: none.
  std::filesystem::path what;

  doomed_directory() = default;
  explicit doomed_directory(std::filesystem::path which) : what{std::move(which)} {}
  doomed_directory(doomed_directory&& other) noexcept : what{std::exchange(other.what, {})} {}
  doomed_directory& operator=(doomed_directory&&) = delete;
  ~doomed_directory() {
    std::error_code ignored;
    if (!what.empty())
      std::filesystem::remove_all(what, ignored);
  }
};

} // namespace tune
