/// Tells whether a file was replaced or changed since it was read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace tune {

/// What distinguishes a file from what had its name before; all zero if there is none.
struct file_state {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  /// Time of the last change of contents. [nanoseconds]
  std::int64_t changed = 0;

  [[nodiscard]] bool is_there() const { return *this != file_state{}; }
  friend bool operator==(const file_state&, const file_state&) = default;
};

/// Follows links, so that a link that leads elsewhere now is a change.
[[nodiscard]] file_state state_of_file(const std::filesystem::path& path);

} // namespace tune
