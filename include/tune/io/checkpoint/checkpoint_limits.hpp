/// How much one checkpoint may hold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"

#include <cstdint>

namespace tune {

/// Directories in one another, at most. Fixed: what is deeper cannot be removed everywhere.
inline constexpr std::size_t max_checkpoint_depth = 100;

/// `[checkpoint] max_size` and `max_files`.
struct checkpoint_limits {
  /// Of its files, as long as they say they are: holes of sparse files count. 0: no limit. [bytes]
  std::uint64_t max_bytes = 0;
  /// Files, directories and links. [1 .. max_checkpoint_entries]
  std::uint64_t max_entries = max_checkpoint_entries;

  /// Whether so much is too much.
  /// @errors `ec::refused`, which says what to do about it, and is the same text each time.
  [[nodiscard]] expected<void> check(std::uint64_t bytes, std::uint64_t entries) const;
  /// The same of a depth.
  [[nodiscard]] static expected<void> check_depth(std::size_t depth);

  friend bool operator==(const checkpoint_limits&, const checkpoint_limits&) = default;
};

/// Room on a disk that checkpoints leave to the record: a twentieth of it, 64 MiB at most.
/// @param capacity Of the whole file system. [bytes]
[[nodiscard]] std::uint64_t room_kept_free(std::uint64_t capacity);

} // namespace tune
