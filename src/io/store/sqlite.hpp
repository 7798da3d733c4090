/// A thin wrapper of SQLite: connections and statements with errors as values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tune::store {

/// One connection; for one thread at a time.
class connection {
public:
  /// @param flags `SQLITE_OPEN_…`
  [[nodiscard]] static expected<connection> open(const std::filesystem::path& file, int flags);
  /// Opens a file that never changes: without locks or companion files.
  [[nodiscard]] static expected<connection> open_immutable(const std::filesystem::path& file);

  /// Runs statements that return no rows.
  [[nodiscard]] expected<void> run(const std::string& sql);
  /// The first column of the first row as a number; 0 if NULL. An error if there is no row.
  [[nodiscard]] expected<std::int64_t> number(const std::string& sql);
  /// The first column of the first row as text.
  [[nodiscard]] expected<std::string> text(const std::string& sql);

  /// Limits the time to wait for other processes' locks.
  void set_busy_timeout(std::chrono::milliseconds time);

  /// Sets whether closing leaves the files as they are, so that the write-ahead log is neither
  /// merged nor removed.
  void leave_as_is(bool leave);

  /// Whether the last call failed because of another process's lock.
  [[nodiscard]] bool is_busy() const;
  /// The last error: file, SQLite's message, the system's if it was a system error, and the holder
  /// of a lock.
  [[nodiscard]] error failure() const;
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[nodiscard]] std::int64_t changes() const { return sqlite3_changes(handle_.get()); }

private:
  struct closer {
    void operator()(sqlite3* x) const { sqlite3_close_v2(x); }
  };
  std::unique_ptr<sqlite3, closer> handle_;
  std::string file_;

  [[nodiscard]] static expected<connection> open_as(const std::string& name, std::string file,
                                                    int flags);
};

/// A prepared statement. Bound texts must live until the next `reset`.
class statement {
public:
  statement() = default;
  /// Invalid SQL means a bug or a damaged schema, and is returned as an error.
  [[nodiscard]] static expected<statement> prepare(connection& on, std::string_view sql);

  /// Binds all parameters in order, from the first.
  template <class... Values>
  statement& bind(const Values&... values) {
    int index = 0;
    (put(++index, values), ...);
    return *this;
  }
  /// Binds one parameter, counted from 1.
  void put(int index, std::int64_t x) { sqlite3_bind_int64(raw_.get(), index, x); }
  void put(int index, std::uint64_t x) { put(index, static_cast<std::int64_t>(x)); }
  void put(int index, int x) { put(index, std::int64_t{x}); }
  void put(int index, std::uint32_t x) { put(index, std::int64_t{x}); }
  void put(int index, bool x) { put(index, std::int64_t{x}); }
  /// NaN becomes NULL.
  void put(int index, double x) { sqlite3_bind_double(raw_.get(), index, x); }
  void put(int index, std::nullptr_t) { sqlite3_bind_null(raw_.get(), index); }
  void put(int index, std::string_view x) {
    // A null pointer would be bound as NULL, even with length 0.
    sqlite3_bind_text64(raw_.get(), index, x.data() != nullptr ? x.data() : "", x.size(),
                        SQLITE_STATIC, SQLITE_UTF8);
  }
  template <class T>
  void put(int index, const std::optional<T>& x) {
    if (x)
      put(index, *x);
    else
      put(index, nullptr);
  }

  /// @returns true with a row, false at the end or on failure; sets `failed`.
  [[nodiscard]] bool step(bool& failed);
  /// Runs the statement and resets it for the next use. @returns false on failure.
  [[nodiscard]] bool run();
  void reset() { sqlite3_reset(raw_.get()); }

  [[nodiscard]] bool is_null(int column) const {
    return sqlite3_column_type(raw_.get(), column) == SQLITE_NULL;
  }
  [[nodiscard]] std::int64_t number(int column) const {
    return sqlite3_column_int64(raw_.get(), column);
  }
  /// Valid until the next step or reset.
  [[nodiscard]] std::string_view text(int column) const;

private:
  struct finalizer {
    void operator()(sqlite3_stmt* x) const { sqlite3_finalize(x); }
  };
  std::unique_ptr<sqlite3_stmt, finalizer> raw_;
};

} // namespace tune::store
