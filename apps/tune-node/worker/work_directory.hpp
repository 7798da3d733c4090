/// The directory where a worker keeps files and trials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string>

namespace tune::cli {

/// Where a worker or head works unless told otherwise.
/// @param whose "worker" or "head".
[[nodiscard]] std::filesystem::path default_work_directory(const std::string& whose);

/// A directory that no other worker uses while this object lives.
class work_directory {
public:
  /// Creates and locks `wanted`. If it is empty: the default directory, or the first free one of
  /// "worker-2", "worker-3", … beside it.
  /// @param whose "worker" or "head".
  /// @errors `ec::storage`, also if somebody's own files are in it, and then nothing is changed:
  ///         see `check_work_directory`; `ec::refused` if another worker uses `wanted`.
  [[nodiscard]] static expected<work_directory> claim(const std::filesystem::path& wanted,
                                                      const std::string& whose = "worker");

  work_directory(work_directory&& x) noexcept;
  work_directory& operator=(work_directory&&) = delete;
  ~work_directory();

  /// Checks that the directory is still there and locked by us; creates and locks it anew if it, or
  /// its file `lock`, was removed and nobody took it since. For one thread.
  /// @errors `ec::refused` if another process has it now; `ec::storage`.
  [[nodiscard]] expected<void> keep();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  work_directory(std::filesystem::path path, int lock) : path_{std::move(path)}, lock_{lock} {}

  std::filesystem::path path_;
  int lock_ = -1;
};

} // namespace tune::cli
