/// Where a node keeps what trials pause with in memory: directories on storage that is memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/checkpoint/commit_checkpoint.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tune {

/// A directory on memory-backed storage that goes with its owner.
///
/// It comes to be when something is written into it. As long as its owner lives that has a lock
/// beside it; one whose owner was killed, and whose lock nobody has, is removed when another of the
/// same user is made, in whatever container.
class pause_memory {
public:
  /// Finds a place below `where`. @returns one of no directory where that is no memory, or is not
  /// to be trusted: then everything has to go to disk.
  [[nodiscard]] static pause_memory make(const std::filesystem::path& where = "/dev/shm");

  pause_memory() = default;
  pause_memory(pause_memory&& other) noexcept;
  pause_memory& operator=(pause_memory&& other) noexcept;
  /// Removes it with all that is in it.
  ~pause_memory();

  /// Empty: there is none.
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

private:
  std::filesystem::path directory_;
  int lock_ = -1;
};

/// The part of `root` that belongs to a job; nothing is made.
[[nodiscard]] std::filesystem::path pause_directory(const std::filesystem::path& root,
                                                    const std::string& job);

/// Completes a draft in memory: it gets its manifest and its name, and is not synced. Where there
/// is no room it becomes a checkpoint on disk. The draft is gone in the end, also where it is given
/// up.
///
/// @param on_disk Where the checkpoints of the experiment lie that are on disk.
/// @param room    Of all that lies in `what.experiment` then. [bytes]
/// @returns what it is registered with; its location begins with `kept_in_memory` where it is.
/// @errors as `committing_checkpoint`, where neither can be done.
sliced<expected<safe_checkpoint>>
keeping_in_memory(checkpoint_draft what, std::filesystem::path on_disk, std::uint64_t room);

/// The directory of a location that begins with `kept_in_memory`.
/// @param memory The job's part: see `pause_directory`.
/// @errors `ec::protocol` where it is none of a checkpoint.
[[nodiscard]] expected<std::filesystem::path> place_in_memory(const std::filesystem::path& memory,
                                                              const std::string& location);

} // namespace tune
