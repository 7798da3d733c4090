/// The files of a database that a head has open: whether they are still those that are read later.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix.hpp"
#include "sqlite.hpp"

#include "tune/io/store/experiment_directory.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace tune::store {

/// SQLite goes on writing to files that have no name any more, past the end of a write-ahead log
/// that was cut short, and beside pages that were cut off its database: nobody could ever read
/// that. For one thread.
class files_in_use {
public:
  /// @param db Has the database of `directory` open for writing.
  [[nodiscard]] static expected<files_in_use> of(connection& db,
                                                 const std::filesystem::path& directory);

  /// To be called before a transaction: whether the database is as long as it was and begins as it
  /// did, and the log still ends with the transaction before.
  /// @errors `ec::storage` where one of them was cut short or written over.
  [[nodiscard]] expected<void> check_before(connection& db);

  /// To be called after a transaction, before anybody is told of it: whether database, log, shared
  /// memory and lock are in their places, and the database and the log are whole. Where the log is
  /// not, what it holds is brought into the database first: nothing is lost with it.
  /// @errors `ec::storage` naming the file; `ec::refused` where another head may work there.
  [[nodiscard]] expected<void> check(connection& db, directory_lock& lock);

private:
  /// The header of the last frame that was committed.
  struct log_end {
    std::uint64_t at = 0;
    /// Of the log up to the end of that frame.
    std::uint64_t size = 0;
    std::array<unsigned char, 8> salt{};
    std::array<unsigned char, 8> sum{};
  };

  /// What can be seen of a database at a glance.
  struct database_shape {
    std::uint64_t bytes = 0;
    /// As long as its header says it is.
    std::uint64_t claimed = 0;
    /// The part of its header that stays as it is.
    std::array<unsigned char, 24> format{};
  };

  file_mark database_;
  std::filesystem::path database_path_;
  database_shape known_;
  std::filesystem::path log_path_;
  std::filesystem::path memory_path_;
  bool has_log_ = false;
  /// Open for reading from the first transaction on. SQLite has no locks on it.
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
