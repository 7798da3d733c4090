/// Checks that the database files that a head has open are still the ones that will be read later.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/posix.hpp"
#include "sqlite.hpp"

#include "tune/io/store/experiment_directory.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace tune::store {

/// SQLite goes on writing to files that were unlinked, past the end of a write-ahead log that was
/// truncated, and beside pages that were cut off its database: nobody could ever read that. For use
/// by one thread.
class files_in_use {
public:
  /// @param db Connection that has the database of `directory` open for writing.
  [[nodiscard]] static expected<files_in_use> of(connection& db,
                                                 const std::filesystem::path& directory);

  /// Call it before a transaction: checks that the database has not shrunk, that its header is
  /// unchanged, and that the log still ends with the previous transaction.
  /// @errors `ec::storage` if one of them was truncated or overwritten.
  [[nodiscard]] expected<void> check_before(connection& db);

  /// Call it after a transaction, before it is reported to anybody: checks that database, log,
  /// shared memory and lock are in their places, and that the database and the log are whole. If
  /// the log is not, its content is first merged into the database, so that nothing is lost.
  /// @errors `ec::storage` naming the file; `ec::refused` if another head may work there.
  [[nodiscard]] expected<void> check(connection& db, directory_lock& lock);

private:
  /// The header of the last committed frame.
  struct log_end {
    std::uint64_t at = 0;
    /// Size of the log up to the end of that frame.
    std::uint64_t size = 0;
    std::array<unsigned char, 8> salt{};
    std::array<unsigned char, 8> sum{};
  };

  /// Size and header of a database, which are cheap to check.
  struct database_shape {
    std::uint64_t bytes = 0;
    /// The size according to its header.
    std::uint64_t claimed = 0;
    /// The part of its header that never changes.
    std::array<unsigned char, 24> format{};
  };

  file_mark database_;
  std::filesystem::path database_path_;
  database_shape known_;
  std::filesystem::path log_path_;
  std::filesystem::path memory_path_;
  bool has_log_ = false;
  /// Opened for reading after the first transaction. SQLite holds no locks on it.
  std::optional<descriptor> log_;
  std::optional<file_mark> memory_;

  files_in_use(file_mark database, const std::filesystem::path& file, bool has_log);
  static std::optional<log_end> end_of_log(connection& db);
  [[nodiscard]] expected<database_shape> look_at_database(connection& db) const;
  expected<void> check_database(connection& db);
  expected<void> open_log();
  expected<void> check_log(connection& db);
  expected<void> check_places();
  [[nodiscard]] bool is_log_in_place() const;
  error save_log(connection& db, const error& why);
};

} // namespace tune::store
