/// The directory of one experiment: what is in it, who holds it, whether it can be written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>

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
class directory_lock {
public:
  /// @errors `ec::refused` naming the holder; `ec::storage`.
  [[nodiscard]] static expected<directory_lock> take(const std::filesystem::path& directory);

  directory_lock(directory_lock&& other) noexcept;
  directory_lock& operator=(directory_lock&& other) noexcept;
  ~directory_lock();

private:
  explicit directory_lock(int descriptor) : descriptor_{descriptor} {}
  int descriptor_;
};

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
