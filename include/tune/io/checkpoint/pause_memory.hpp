/// Memory-backed storage in which a node keeps the checkpoints of paused trials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/checkpoint/commit_checkpoint.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tune {

/// A directory on memory-backed storage that is removed with its owner.
///
/// The directory is created when something is written into it. While its owner is alive, it has a
/// lock beside the directory. A directory whose owner was killed, so that nobody holds the lock, is
/// removed when another object of the same user is made, in whatever container.
class pause_memory {
public:
  /// Finds a place below `where`. @returns an object without a directory if `where` is not in
  /// memory or cannot be trusted; everything must then go to disk.
  [[nodiscard]] static pause_memory make(const std::filesystem::path& where = "/dev/shm");

  pause_memory() = default;
  pause_memory(pause_memory&& other) noexcept;
  pause_memory& operator=(pause_memory&& other) noexcept;
  /// Removes the directory with its whole content.
  ~pause_memory();

  /// Empty if there is none.
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

private:
  std::filesystem::path directory_;
  int lock_ = -1;
};

/// The subdirectory of `root` that belongs to a job; creates nothing.
[[nodiscard]] std::filesystem::path pause_directory(const std::filesystem::path& root,
                                                    const std::string& job);

/// Completes a draft in memory: it gets its manifest and its final name, and is not synced. If
/// there is not enough room, it becomes a checkpoint on disk instead. In either case the draft is
/// gone in the end, also if the work is given up.
///
/// @param on_disk Directory of the experiment's checkpoints on disk.
/// @param room    Limit on the size of everything in `what.experiment`. [bytes]
/// @returns the data to register it with; the location begins with `kept_in_memory` if it is in
///          memory.
/// @errors as `committing_checkpoint`, if neither is possible.
sliced<expected<safe_checkpoint>>
keeping_in_memory(checkpoint_draft what, std::filesystem::path on_disk, std::uint64_t room);

/// The directory of a location that begins with `kept_in_memory`.
/// @param memory The job's directory: see `pause_directory`.
/// @errors `ec::protocol` if it is not the location of a checkpoint.
[[nodiscard]] expected<std::filesystem::path> place_in_memory(const std::filesystem::path& memory,
                                                              const std::string& location);

} // namespace tune
