// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/experiment_store.hpp"

#include "check_readable.hpp"
#include "files_in_use.hpp"
#include "head_row.hpp"
#include "posix/posix.hpp"
#include "row_writer.hpp"
#include "schema.hpp"
#include "sqlite.hpp"
#include "wal_check.hpp"

#include "tune/core/own_words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <unordered_map>
#include <utility>

namespace tune {

namespace {

using store::connection;
using store::row_writer;
using store::statement;
namespace fs = std::filesystem;

/// A page cache of 16 MiB; WAL checkpoints every 16 MiB; a log that has grown is truncated to 64
/// MiB.
constexpr std::string_view settings = "PRAGMA synchronous = FULL;"
                                      "PRAGMA cache_size = -16384;"
                                      "PRAGMA wal_autocheckpoint = 4096;"
                                      "PRAGMA journal_size_limit = 67108864;"
                                      "PRAGMA temp_store = MEMORY;";

/// Opens the database so that closing it changes nothing until everything is found in order.
expected<connection> open_database(const fs::path& directory, const store_options& options) {
  if (auto whole = store::check_wal(database_file(directory)); !whole)
    return whole.error();
  auto journal
      = options.journal ? expected<journal_kind>{*options.journal} : journal_for(directory);
  if (!journal)
    return journal.error();
  // SQLite would open a read-only file and fail only later.
  if (::access(database_file(directory).c_str(), W_OK) != 0)
    return store::system_error(database_file(directory), "write", errno);
  auto db = connection::open(database_file(directory), SQLITE_OPEN_READWRITE);
  if (!db)
    return db;
  db->leave_as_is(true);
  db->set_busy_timeout(options.busy_timeout);
  auto version = store::check_version(*db);
  if (!version)
    return version.error();
  const bool wal = *journal == journal_kind::wal;
  auto mode = db->text(wal ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = TRUNCATE");
  if (!mode)
    return mode.error();
  if (auto set = db->run(std::string{settings}); !set)
    return set.error();
  if (auto provided = store::provide_sums(*db); !provided)
    return provided.error();
  return db;
}

/// Merges the write-ahead log of an earlier head into the database. Its last sync may have failed,
/// and syncing the log again would only seem to succeed, whereas newly written pages can be synced
/// reliably. Does not wait for readers.
expected<void> merge_log(connection& db) {
  auto busy = db.number("PRAGMA wal_checkpoint(PASSIVE)");
  if (!busy)
    return busy.error();
  return {};
}

/// Creates the tables in a file with another name and renames it, so that a database exists as a
/// whole or not at all, and is synced in one go.
expected<void> make_database(const fs::path& directory, const store_options& options) {
  const auto file = database_file(directory);
  auto beside = file;
  beside += ".new";
  for (const auto& path : {file, beside}) {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      if (::unlink((path.string() + suffix).c_str()) != 0 && errno != ENOENT)
        return store::system_error(path, "remove the half-made database", errno);
    }
  }
  auto journal
      = options.journal ? expected<journal_kind>{*options.journal} : journal_for(directory);
  if (!journal)
    return journal.error();
  // SQLite would not report the reason of a failure.
  if (auto empty = store::open_own_file(beside, O_WRONLY | O_CREAT | O_EXCL, "create"); !empty)
    return empty.error();
  {
    auto db = connection::open(beside, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (!db)
      return db.error();
    if (auto set = db->run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"); !set)
      return set.error();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    if (auto made = store::create_schema(*db, ms); !made)
      return made.error();
    if (*journal == journal_kind::wal) {
      if (auto set = db->text("PRAGMA journal_mode = WAL"); !set)
        return set.error();
    }
  }
  if (auto synced = store::sync_file(beside); !synced)
    return synced.error();
  if (std::rename(beside.c_str(), file.c_str()) != 0)
    return store::system_error(file, "create", errno);
  return store::sync_directory(directory);
}

} // namespace

class experiment_store::impl {
public:
  impl(fs::path directory, store::files_in_use files, directory_lock lock, connection db,
       row_writer rows, statement begin, statement fence, statement commit)
      : directory_{std::move(directory)}
      , files_{std::move(files)}
      , lock_{std::move(lock)}
      , db_{std::move(db)}
      , rows_{std::move(rows)}
      , begin_{std::move(begin)}
      , fence_{std::move(fence)}
      , commit_{std::move(commit)} {}

  /// @param takes_over Whether this is a further head of an existing experiment.
  [[nodiscard]] static expected<std::unique_ptr<impl>> make(fs::path directory, directory_lock lock,
                                                            connection db, bool takes_over);

  expected<void> write(std::span<const store_item> items);

  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  [[nodiscard]] sequence last_seq() const { return disk_.seq; }
  [[nodiscard]] const fs::path& directory() const { return directory_; }

private:
  /// Changes of a row by several items of one batch: only the last is written.
  struct change {
    instant first{0};
    instant last{0};
    std::size_t index = 0;
  };

  /// The last event and its time.
  struct position {
    sequence seq = 0;
    instant at{0};
  };

  fs::path directory_;
  store::files_in_use files_;
  directory_lock lock_;
  connection db_;
  row_writer rows_;
  statement begin_, fence_, commit_;
  std::uint32_t epoch_ = 0;
  /// The position on disk, and the one after the batch.
  position disk_, batch_;
  std::optional<error> poison_;
  std::unordered_map<std::uint64_t, change> trials_;
  /// Index of a trial's last progress in the batch, if no change of its row follows.
  std::unordered_map<std::uint64_t, std::size_t> progress_;
  /// Index of an attempt's last change in the batch.
  std::unordered_map<std::int64_t, std::size_t> attempts_;

  static expected<position> end_of_log(connection& db);
  static expected<void> take_over(connection& db);
  expected<void> attempt(std::span<const store_item> items);
  bool run_patiently(statement& what);
  expected<void> survey(std::span<const store_item> items);
  expected<void> fence();
  bool write_rows(std::span<const store_item> items);
  bool write_row(const store_item& item, std::size_t index);
};

expected<std::unique_ptr<experiment_store::impl>> experiment_store::impl::make(fs::path directory,
                                                                               directory_lock lock,
                                                                               connection db,
                                                                               bool takes_over) {
  auto log = end_of_log(db);
  if (!log)
    return log.error();
  if (auto taken = takes_over ? take_over(db) : expected<void>{}; !taken)
    return taken.error();
  // A head that is fenced off by now may have written until then.
  if (takes_over)
    log = end_of_log(db);
  if (!log)
    return log.error();
  auto head = store::read_head(db);
  if (!head)
    return head.error();
  auto rows = row_writer::make(db);
  if (!rows)
    return rows.error();
  auto begin = statement::prepare(db, "BEGIN IMMEDIATE");
  auto fence = statement::prepare(
      db, "UPDATE t_head SET last_seq = ?2, sum = head_sum(epoch, ?2, created_ms, opened_seq,"
          " status, why, finished) WHERE id = 1 AND epoch = ?1");
  auto commit = statement::prepare(db, "COMMIT");
  for (const auto* x : {&begin, &fence, &commit}) {
    if (!*x)
      return x->error();
  }
  auto files = store::files_in_use::of(db, directory);
  if (!files)
    return files.error();
  db.leave_as_is(false);
  auto result = std::make_unique<impl>(std::move(directory), std::move(*files), std::move(lock),
                                       std::move(db), std::move(*rows), std::move(*begin),
                                       std::move(*fence), std::move(*commit));
  result->epoch_ = static_cast<std::uint32_t>(head->epoch);
  result->disk_ = *log;
  return result;
}

/// @errors `ec::storage` if the log does not end where the head's row says.
expected<experiment_store::impl::position> experiment_store::impl::end_of_log(connection& db) {
  auto head = store::read_head(db);
  if (!head)
    return head.error();
  auto found = db.number("SELECT max(ifnull((SELECT max(seq) FROM t_events), 0),"
                         " ifnull((SELECT max(seq) FROM t_results), 0))");
  auto now = db.number("SELECT max(ifnull((SELECT t FROM t_events ORDER BY seq DESC LIMIT 1), 0),"
                       " ifnull((SELECT t FROM t_results ORDER BY seq DESC LIMIT 1), 0))");
  for (const auto* x : {&found, &now}) {
    if (!*x)
      return x->error();
  }
  if (head->last_seq != *found)
    return error{ec::storage, std::string{sqlite3_db_filename(db.handle(), "main")}
                                  + ": damaged: the log ends at event " + std::to_string(*found)
                                  + ", t_head says " + std::to_string(head->last_seq)};
  return position{static_cast<sequence>(*found), instant{*now}};
}

/// Makes this head the newest; older heads are fenced off from then on.
expected<void> experiment_store::impl::take_over(connection& db) {
  if (auto merged = merge_log(db); !merged)
    return merged;
  if (auto summed = store::add_sums(db); !summed)
    return summed;
  if (auto added = store::add_costs(db); !added)
    return added;
  if (auto added = store::add_node_labels(db); !added)
    return added;
  return db.run("BEGIN IMMEDIATE; UPDATE t_head SET epoch = epoch + 1, sum = head_sum(epoch + 1,"
                " last_seq, created_ms, opened_seq, status, why, finished); COMMIT;");
}

expected<void> experiment_store::impl::write(std::span<const store_item> items) {
  if (poison_)
    return *poison_;
  if (items.empty())
    return {};
  auto done = attempt(items);
  if (!done) {
    poison_ = done.error();
    // A failed sync must not be retried: the next one may succeed without the data.
    db_.leave_as_is(true);
    // A failure does not matter here: closing rolls back as well.
    (void)db_.run("ROLLBACK");
  }
  return done;
}

expected<void> experiment_store::impl::attempt(std::span<const store_item> items) {
  if (auto fine = survey(items); !fine)
    return fine;
  if (auto whole = files_.check_before(db_); !whole)
    return whole;
  if (!run_patiently(begin_))
    return db_.failure();
  if (auto ours = fence(); !ours)
    return ours;
  if (!write_rows(items) || !run_patiently(commit_))
    return db_.failure();
  if (auto there = files_.check(db_, lock_); !there)
    return there;
  disk_ = batch_;
  return {};
}

/// Retries while busy: any reader may lock the database and may release it by the next try.
bool experiment_store::impl::run_patiently(statement& what) {
  constexpr int most_waits = 6;
  bool done = what.run();
  for (int i = 1; !done && db_.is_busy() && i < most_waits; ++i)
    done = what.run();
  return done;
}

expected<void> experiment_store::impl::survey(std::span<const store_item> items) {
  trials_.clear();
  progress_.clear();
  attempts_.clear();
  batch_ = disk_;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& what = items[i].what;
    if (const auto* x = std::get_if<event>(&what)) {
      if (x->seq != batch_.seq + 1)
        return error{ec::internal, "event " + std::to_string(x->seq) + " follows event "
                                       + std::to_string(batch_.seq) + " in the log"};
      if (auto fine = store::check_readable(*x); !fine)
        return fine;
      batch_ = {x->seq, x->at};
    } else if (const auto* row = std::get_if<cmd::trial_changed>(&what)) {
      auto& known
          = trials_.try_emplace(row->trial.number, change{batch_.at, batch_.at, i}).first->second;
      known.last = batch_.at;
      known.index = i;
      // This row includes all earlier progress.
      progress_.erase(row->trial.number);
    } else if (const auto* news = std::get_if<cmd::trial_progressed>(&what)) {
      progress_[news->trial.number] = i;
    } else if (const auto* run = std::get_if<cmd::attempt_changed>(&what)) {
      if (!store::is_packable(run->attempt))
        return error{ec::internal, "attempt " + to_text(run->attempt) + " is out of range"};
      attempts_[store::packed(run->attempt)] = i;
    }
  }
  return {};
}

expected<void> experiment_store::impl::fence() {
  if (!fence_.bind(epoch_, batch_.seq).run())
    return db_.failure();
  if (db_.changes() == 1)
    return {};
  auto other = db_.number("SELECT epoch FROM t_head");
  return error{ec::refused, directory_.string() + ": another head has taken over (epoch "
                                + (other ? std::to_string(*other) : "unknown") + ", ours is "
                                + std::to_string(epoch_) + ")"};
}

bool experiment_store::impl::write_rows(std::span<const store_item> items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!write_row(items[i], i))
      return false;
  }
  return true;
}

bool experiment_store::impl::write_row(const store_item& item, std::size_t index) {
  if (const auto* x = std::get_if<event>(&item.what))
    return rows_.write(*x);
  if (const auto* x = std::get_if<cmd::trial_changed>(&item.what)) {
    const auto& known = trials_.at(x->trial.number);
    return known.index != index || rows_.write(*x, known.first, known.last);
  }
  if (const auto* x = std::get_if<cmd::trial_progressed>(&item.what)) {
    auto known = progress_.find(x->trial.number);
    return known == progress_.end() || known->second != index || rows_.write(*x);
  }
  if (const auto* x = std::get_if<cmd::attempt_changed>(&item.what))
    return attempts_.at(store::packed(x->attempt)) != index || rows_.write(*x);
  if (const auto* x = std::get_if<cmd::decision_taken>(&item.what))
    return rows_.write(item.seq, *x);
  return rows_.write(std::get<cmd::finish>(item.what), batch_.at);
}

experiment_store::experiment_store(std::unique_ptr<impl> parts) : impl_{std::move(parts)} {}
experiment_store::experiment_store(experiment_store&&) noexcept = default;
experiment_store& experiment_store::operator=(experiment_store&&) noexcept = default;
experiment_store::~experiment_store() = default;

expected<experiment_store> experiment_store::create(const fs::path& directory,
                                                    const store_options& options) {
  if (auto made = make_directory(directory); !made)
    return made.error();
  auto lock = directory_lock::take(directory);
  if (!lock)
    return lock.error();
  auto state = inspect_directory(directory);
  if (!state)
    return state.error();
  if (*state == directory_state::experiment)
    return error{ec::refused, directory.string() + " already holds an experiment: go on with it by "
                                  + std::string{way_to_resume()} + ", or choose another name"};
  if (auto made = make_database(directory, options); !made)
    return made.error();
  auto db = open_database(directory, options);
  if (!db)
    return db.error();
  auto parts = impl::make(directory, std::move(*lock), std::move(*db), false);
  if (!parts)
    return parts.error();
  return experiment_store{std::move(*parts)};
}

expected<experiment_store> experiment_store::open(const fs::path& directory,
                                                  const store_options& options) {
  auto state = inspect_directory(directory);
  if (!state)
    return state.error();
  if (*state != directory_state::experiment)
    return error{ec::unreadable, directory.string() + " holds no experiment"};
  if (auto made = make_directory(directory); !made)
    return made.error();
  auto lock = directory_lock::take(directory);
  if (!lock)
    return lock.error();
  auto db = open_database(directory, options);
  if (!db)
    return db.error();
  auto parts = impl::make(directory, std::move(*lock), std::move(*db), true);
  if (!parts)
    return parts.error();
  return experiment_store{std::move(*parts)};
}

std::uint32_t experiment_store::epoch() const {
  return impl_->epoch();
}

sequence experiment_store::last_seq() const {
  return impl_->last_seq();
}

const std::filesystem::path& experiment_store::directory() const {
  return impl_->directory();
}

expected<void> experiment_store::write(std::span<const store_item> items) {
  return impl_->write(items);
}

} // namespace tune
