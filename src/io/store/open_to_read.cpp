// SPDX-License-Identifier: BSD-3-Clause
#include "open_to_read.hpp"

#include "schema.hpp"

#include <unistd.h>

namespace tune::store {

expected<connection> open_to_read(const std::filesystem::path& file, std::int64_t& version) {
  auto db = connection::open(file, SQLITE_OPEN_READONLY);
  if (!db)
    return db;
  db->set_busy_timeout(std::chrono::seconds{10});
  auto found = check_version(*db);
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
