// SPDX-License-Identifier: BSD-3-Clause
#include "open_to_read.hpp"

#include "schema.hpp"

#include <unistd.h>

namespace tune::store {

namespace {

/// Whether there is an interrupted transaction that only a user with write permission can roll
/// back.
bool is_half_written(const connection& db) {
  return sqlite3_extended_errcode(db.handle()) == SQLITE_READONLY_ROLLBACK;
}

error half_written(const std::filesystem::path& file) {
  return {ec::storage, file.string()
                           + "-journal: a crash left a transaction half-written: it is taken back"
                             " when the experiment is gone on with, or looked at by somebody who"
                             " may write here"};
}

} // namespace

expected<connection> open_to_read(const std::filesystem::path& file, std::int64_t& version) {
  auto db = connection::open(file, SQLITE_OPEN_READONLY);
  if (!db)
    return db;
  constexpr std::chrono::seconds patience{10};
  db->set_busy_timeout(patience);
  auto found = check_version(*db);
  if (!found && is_half_written(*db)) {
    db = connection::open(file, SQLITE_OPEN_READWRITE);
    if (!db)
      return db;
    db->set_busy_timeout(patience);
    found = check_version(*db);
    if (!found && is_half_written(*db))
      return half_written(file);
  }
  const bool closed = ::access((file.string() + "-wal").c_str(), F_OK) != 0;
  if (!found && found.error().code == ec::storage && closed
      && ::access(file.parent_path().c_str(), W_OK) != 0) {
    db = connection::open_immutable(file);
    if (!db)
      return db;
    found = check_version(*db);
  }
  if (!found)
    return found.error();
  version = *found;
  return db;
}

} // namespace tune::store
