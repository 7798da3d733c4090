/// Limits on the size of one checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"

#include <cstdint>

namespace tune {

/// Maximum nesting depth of directories. Fixed, because deeper trees cannot be removed everywhere.
inline constexpr std::size_t max_checkpoint_depth = 100;

/// `[checkpoint] max_size` and `max_files`.
struct checkpoint_limits {
  /// Total apparent size of the files, in which holes of sparse files count. 0: no limit. [bytes]
  std::uint64_t max_bytes = 0;
  /// Number of files, directories and links. [1 .. max_checkpoint_entries]
  std::uint64_t max_entries = max_checkpoint_entries;

  /// Checks sizes against the limits.
  /// @errors `ec::refused` with a remedy; the text is the same each time.
  [[nodiscard]] expected<void> check(std::uint64_t bytes, std::uint64_t entries) const;
  /// Checks a nesting depth.
  [[nodiscard]] static expected<void> check_depth(std::size_t depth);

  friend bool operator==(const checkpoint_limits&, const checkpoint_limits&) = default;
};

/// Disk space that checkpoints leave free for the record: a twentieth of the disk, at most 64 MiB.
/// @param capacity Size of the whole file system. [bytes]
[[nodiscard]] std::uint64_t room_kept_free(std::uint64_t capacity);

} // namespace tune
