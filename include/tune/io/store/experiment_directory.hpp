/// The directory of one experiment: what is in it, who holds it, whether it can be written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace tune {

/// What a directory holds.
enum class directory_state : std::uint8_t {
  /// There is no such directory, or no database in it.
  absent,
  /// A database was begun, but the experiment never opened: may be begun afresh.
  half_made,
  /// An experiment, finished or not.
  experiment,
};

/// Looks without changing anything.
/// @errors `ec::storage` where it cannot be read; `ec::refused` where `experiment.db` is not ours
///         or was made by a newer version.
[[nodiscard]] expected<directory_state> inspect_directory(const std::filesystem::path& directory);

/// The parts of the directory.
[[nodiscard]] std::filesystem::path database_file(const std::filesystem::path& directory);
[[nodiscard]] std::filesystem::path trials_directory(const std::filesystem::path& directory);

/// Makes `directory` with its parents and `trials/`, each made known to the disk; existing ones
/// stay. Writes and removes a file too, so that a full or read-only disk is found now.
/// @errors `ec::storage` with path and the system's text.
[[nodiscard]] expected<void> make_directory(const std::filesystem::path& directory);

/// Holds a directory against other heads, on this machine and, where the file system knows locks,
/// on others. Released by destruction or the end of the process; not inherited over exec.
///
/// Only those who may write the directory can take it: the file `lock` can be read by nobody else.
/// A lock on it by a process that is no head, as older versions let readers take it, does not
/// count: the file is made anew then.
class directory_lock {
public:
  /// @errors `ec::refused` naming the holder, and what to do; `ec::storage`.
  [[nodiscard]] static expected<directory_lock> take(const std::filesystem::path& directory);

  /// Looks whether the file is still in its place, and makes and locks it anew where it was removed
  /// and nobody took it since.
  /// @errors `ec::refused` where another file is there; `ec::storage`.
  [[nodiscard]] expected<void> keep();

  directory_lock(directory_lock&& other) noexcept;
  directory_lock& operator=(directory_lock&& other) noexcept;
  ~directory_lock();

private:
  directory_lock(std::filesystem::path path, int descriptor);
  std::filesystem::path path_;
  int descriptor_;
};

/// Whether a head holds `directory`, as far as the kernel of this machine tells. Takes no lock, and
/// takes no other lock on the file for a head's.
[[nodiscard]] bool is_held(const std::filesystem::path& directory);

/// What the newest head wrote of itself: "pid 17 on lab, since 2026-01-31T12:00:00Z"; "another
/// process" where there is nothing, or it may not be read.
[[nodiscard]] std::string holder_of(const std::filesystem::path& directory);

/// How the database guards its transactions.
enum class journal_kind : std::uint8_t {
  /// Write-ahead log: readers and the writer do not wait for each other. Needs shared memory, so
  /// all of them must be on one machine.
  wal,
  /// Rollback journal with ordinary file locks, for network file systems. Readers and commits wait
  /// for each other.
  rollback,
};

/// The journal for a file system of this `statfs` type: rollback for those that machines share.
[[nodiscard]] journal_kind journal_for(std::uint64_t file_system_type);
/// The same for the file system below `directory`. @errors `ec::storage`.
[[nodiscard]] expected<journal_kind> journal_for(const std::filesystem::path& directory);

} // namespace tune
