// SPDX-License-Identifier: BSD-3-Clause
#include "sqlite.hpp"

#include "lock_holders.hpp"
#include "posix/posix.hpp"

#include <sys/stat.h>

#include <cstring>
#include <optional>
#include <utility>

namespace tune::store {

namespace {

/// The errno of the last failure: of the connection, its journal, or its database file.
int system_errno(sqlite3* db) {
  int result = sqlite3_system_errno(db);
  sqlite3_file* journal = nullptr;
  if (result == 0
      && sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal) == SQLITE_OK
      && journal != nullptr && journal->pMethods != nullptr)
    journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &result);
  if (result == 0)
    sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &result);
  return result;
}

/// Refuses special files: SQLite would block on a named pipe until somebody opens its other end.
std::optional<error> why_no_database(const std::filesystem::path& file) {
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) {
    const auto path = file.string() + suffix;
    struct ::stat found {};
    if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode))
      return error{ec::refused, path + " is no regular file: remove it, or restore it from a copy"};
  }
  return std::nullopt;
}

} // namespace

expected<connection> connection::open_as(const std::string& name, std::string file, int flags) {
  sqlite3* raw = nullptr;
  const int status = sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  connection result;
  result.handle_.reset(raw);
  result.file_ = std::move(file);
  if (raw == nullptr)
    return error{ec::storage, result.file_ + ": no memory to open the database"};
  if (status != SQLITE_OK)
    return result.failure();
  sqlite3_extended_result_codes(raw, 1);
  return result;
}

expected<connection> connection::open(const std::filesystem::path& file, int flags) {
  if (auto why = why_no_database(file))
    return *why;
  return open_as(file.string(), file.string(), flags);
}

expected<connection> connection::open_immutable(const std::filesystem::path& file) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string uri = "file:";
  for (unsigned char c : std::filesystem::absolute(file).string()) {
    if (std::strchr("%?#", c) == nullptr) {
      uri += static_cast<char>(c);
    } else {
      uri += '%';
      uri += digits[c >> 4];
      uri += digits[c & 15];
    }
  }
  return open_as(uri + "?immutable=1", file.string(), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

expected<void> connection::run(const std::string& sql) {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return failure();
  return {};
}

expected<std::int64_t> connection::number(const std::string& sql) {
  auto query = statement::prepare(*this, sql);
  if (!query)
    return query.error();
  bool failed = false;
  if (!query->step(failed))
    return failed ? failure() : error{ec::storage, file_ + ": no row answers " + sql};
  return query->number(0);
}

expected<std::string> connection::text(const std::string& sql) {
  auto query = statement::prepare(*this, sql);
  if (!query)
    return query.error();
  bool failed = false;
  if (!query->step(failed))
    return failed ? failure() : error{ec::storage, file_ + ": no row answers " + sql};
  return std::string{query->text(0)};
}

void connection::set_busy_timeout(std::chrono::milliseconds time) {
  sqlite3_busy_timeout(handle(), static_cast<int>(time.count()));
}

void connection::leave_as_is(bool leave) {
  sqlite3_db_config(handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leave ? 1 : 0, nullptr);
}

bool connection::is_busy() const {
  return (sqlite3_extended_errcode(handle()) & 0xff) == SQLITE_BUSY;
}

error connection::failure() const {
  std::string text = file_ + ": " + sqlite3_errmsg(handle());
  const int primary = sqlite3_extended_errcode(handle()) & 0xff;
  if (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL) {
    if (const int system = system_errno(handle()); system != 0)
      text += " (" + text_of_errno(system) + ")";
  }
  // Any user who may read the files may lock them, too.
  if (is_busy()) {
    const auto who = others_with_locks_on({file_, file_ + "-shm"});
    text += ": "
            + (who.empty() ? "another process, which cannot be seen from here, holds a lock on it"
                           : who)
            + ": end it, or wait for its end, and try again";
  }
  return {ec::storage, std::move(text)};
}

expected<statement> statement::prepare(connection& on, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int status = sqlite3_prepare_v3(on.handle(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  statement result;
  result.raw_.reset(raw);
  if (status == SQLITE_OK)
    return result;
  auto why = on.failure();
  // The SQL is known to be right, so the tables are not as they were created.
  if (status == SQLITE_ERROR)
    why.detail += " (its schema is damaged)";
  return why;
}

bool statement::step(bool& failed) {
  const int status = sqlite3_step(raw_.get());
  failed = status != SQLITE_ROW && status != SQLITE_DONE;
  return status == SQLITE_ROW;
}

bool statement::run() {
  const int status = sqlite3_step(raw_.get());
  if (status != SQLITE_DONE && status != SQLITE_ROW)
    return false; // not reset: the connection keeps the reason
  return sqlite3_reset(raw_.get()) == SQLITE_OK;
}

std::string_view statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(raw_.get(), column));
  if (data == nullptr)
    return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(raw_.get(), column))};
}

} // namespace tune::store
