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

/// SQLite goes on writing to files that have no name any more, and past the end of a write-ahead
/// log that was cut short: nobody would ever read that. For one thread.
class files_in_use {
public:
  /// @param db Has the database of `directory` open for writing.
  [[nodiscard]] static expected<files_in_use> of(connection& db,
                                                 const std::filesystem::path& directory);

  /// To be called before a transaction: whether the log still ends with the transaction before.
  /// @errors `ec::storage` where it was cut short or written over.
  [[nodiscard]] expected<void> check_log(connection& db);

  /// To be called after a transaction, before anybody is told of it: whether database, log, shared
  /// memory and lock are in their places. Where the log is not, what it holds is brought into the
  /// database first: nothing is lost with it.
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

  file_mark database_;
  std::filesystem::path log_path_;
  std::filesystem::path memory_path_;
  bool has_log_ = false;
  /// Open for reading from the first transaction on. SQLite has no locks on it.
  std::optional<descriptor> log_;
  std::optional<file_mark> memory_;

  files_in_use(file_mark database, const std::filesystem::path& file, bool has_log);
  static std::optional<log_end> end_of_log(connection& db);
  expected<void> open_log();
  expected<void> check_places();
  [[nodiscard]] bool is_log_in_place() const;
  error save_log(connection& db, const error& why);
};

} // namespace tune::store
