/// A directory for what is needed for a while.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/descriptor.hpp"

#include <filesystem>
#include <memory>
#include <utility>

namespace tune::cli {

/// Lies where the environment wants such things (TMPDIR), for nobody else to read, and is removed
/// in the end. While it is in use its process holds a lock (flock) on it: by that those are known
/// that a killed process left, which are removed when the next one is made.
class passing_directory {
public:
  /// @errors `ec::storage`.
  [[nodiscard]] static expected<std::unique_ptr<passing_directory>> make();
  passing_directory(const passing_directory&) = delete;
  passing_directory& operator=(const passing_directory&) = delete;
  ~passing_directory() { remove(); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Removes it with all that is in it. For any thread.
  void remove() const;

private:
  std::filesystem::path path_;
  store::descriptor lock_;

  passing_directory(std::filesystem::path path, store::descriptor lock)
      : path_{std::move(path)}, lock_{std::move(lock)} {}
};

} // namespace tune::cli
