/// The directory of one experiment: its content, its lock, and whether it can be written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace tune {

/// The content of a directory.
enum class directory_state : std::uint8_t {
  /// There is no such directory, or no database in it.
  absent,
  /// A database was begun, but the experiment never opened; it may be created afresh.
  half_made,
  /// The directory holds an experiment, finished or not.
  experiment,
};

/// Inspects the directory without changing anything.
/// @errors `ec::storage` if it cannot be read; `ec::refused` if `experiment.db` is not a database
///         of this program or was made by a newer version.
[[nodiscard]] expected<directory_state> inspect_directory(const std::filesystem::path& directory);

/// Paths of the parts of the directory.
[[nodiscard]] std::filesystem::path database_file(const std::filesystem::path& directory);
[[nodiscard]] std::filesystem::path trials_directory(const std::filesystem::path& directory);

/// Creates `directory`, its parents and `trials/`, and syncs each new one; existing ones stay. Also
/// writes and removes a file, so that a full or read-only disk is noticed now.
/// @errors `ec::storage` with the path and the system's error text.
[[nodiscard]] expected<void> make_directory(const std::filesystem::path& directory);

/// Locks a directory against other heads, on this machine and, if the file system supports locks,
/// on others. Released by the destructor or the end of the process; not inherited over exec.
///
/// Only users who may write the directory can take the lock: nobody else can read the file `lock`.
/// A lock held by a process that is not a head, as older versions let readers take it, does not
/// count: the file is then recreated.
class directory_lock {
public:
  /// @errors `ec::refused` naming the holder and a remedy; `ec::storage`.
  [[nodiscard]] static expected<directory_lock> take(const std::filesystem::path& directory);

  /// Checks that the lock file is still in its place; recreates and locks it if it was removed and
  /// nobody has taken it since.
  /// @errors `ec::refused` if another file is there; `ec::storage`.
  [[nodiscard]] expected<void> keep();

  directory_lock(directory_lock&& other) noexcept;
  directory_lock& operator=(directory_lock&& other) noexcept;
  ~directory_lock();

private:
  directory_lock(std::filesystem::path path, int descriptor);
  std::filesystem::path path_;
  int descriptor_;
};

/// Whether a head holds `directory`, as far as this machine's kernel knows. Takes no lock, and does
/// not mistake other locks on the file for a head's.
[[nodiscard]] bool is_held(const std::filesystem::path& directory);

/// The text by which the newest head identified itself: "pid 17 on lab, since
/// 2026-01-31T12:00:00Z"; "another process" if there is none or it may not be read.
[[nodiscard]] std::string holder_of(const std::filesystem::path& directory);

/// The journal that makes the database's transactions atomic.
enum class journal_kind : std::uint8_t {
  /// Write-ahead log: readers and the writer do not wait for each other. Needs shared memory, so
  /// all of them must be on one machine.
  wal,
  /// Rollback journal with ordinary file locks, for network file systems. Readers and commits wait
  /// for each other.
  rollback,
};

/// The journal for a file system of this `statfs` type: rollback for file systems shared by
/// machines.
[[nodiscard]] journal_kind journal_for(std::uint64_t file_system_type);
/// The journal for the file system of `directory`. @errors `ec::storage`.
[[nodiscard]] expected<journal_kind> journal_for(const std::filesystem::path& directory);

} // namespace tune
