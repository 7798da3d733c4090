// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/copy_record.hpp"

#include "open_to_read.hpp"

#include "tune/io/store/experiment_directory.hpp"

namespace tune {

namespace {

using store::connection;

/// All pages at once: in steps, a commit in between would begin it anew.
bool copy_pages(const connection& from, const connection& to) {
  auto* copying = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  if (copying == nullptr)
    return false;
  const auto stepped = sqlite3_backup_step(copying, -1);
  return sqlite3_backup_finish(copying) == SQLITE_OK && stepped == SQLITE_DONE;
}

} // namespace

expected<void> copy_record(const std::filesystem::path& experiment,
                           const std::filesystem::path& to) {
  const auto file = database_file(experiment);
  std::int64_t version = 0;
  auto from = store::open_to_read(file, version);
  if (!from)
    return from.error();
  if (version == 0)
    return error{ec::unreadable, experiment.string() + " holds no experiment"};
  auto copy = connection::open(database_file(to), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!copy)
    return copy.error();
  if (auto quick = copy->run("PRAGMA synchronous = OFF"); !quick)
    return quick;
  if (copy_pages(*from, *copy))
    return {};
  return error{ec::storage, file.string() + " cannot be copied to " + to.string() + ": "
                                + copy->failure().detail};
}

} // namespace tune
