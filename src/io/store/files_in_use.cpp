// SPDX-License-Identifier: BSD-3-Clause
#include "files_in_use.hpp"

#include "tune/core/own_words.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace tune::store {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t log_header = 32;
constexpr std::size_t frame_header = 24;

// Header of the shared memory (the WAL index):
// https://www.sqlite.org/walformat.html#the_wal_index_header
constexpr int memory_region = 32768;
constexpr std::size_t page_size_at = 14;
constexpr std::size_t last_frame_at = 16;
constexpr std::size_t frame_sum_at = 24;
constexpr std::size_t salt_at = 32;
constexpr std::size_t memory_header = 48;

// The database's own header: https://www.sqlite.org/fileformat.html#the_database_header
constexpr std::size_t size_of_page_at = 16;
constexpr std::size_t count_of_pages_at = 28;

fs::path beside(const fs::path& file, const char* ending) {
  auto result = file;
  result += ending;
  return result;
}

template <class Number>
Number native(const unsigned char* from) {
  Number result{};
  std::memcpy(&result, from, sizeof result);
  return result;
}

void put_big_endian(unsigned char* to, std::uint32_t x) {
  for (int i = 0; i < 4; ++i)
    to[i] = static_cast<unsigned char>(x >> (24 - 8 * i));
}

std::uint64_t big_endian(const unsigned char* from, std::size_t bytes) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    result = result << 8 | from[i];
  return result;
}

/// SQLite's own handle of the open database: opening the file again and closing that descriptor
/// would release SQLite's locks.
sqlite3_file* file_of(connection& db) {
  sqlite3_file* result = nullptr;
  sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &result);
  return result == nullptr || result->pMethods == nullptr ? nullptr : result;
}

error lost(const fs::path& path) {
  return {ec::storage, path.string() + ": was removed, moved or replaced while it was in use"};
}

/// Moves away a foreign file in the log's place, which SQLite would take for a part of the record.
void set_aside(const fs::path& log) {
  struct ::stat found {};
  // SQLite ignores an empty file.
  if (::lstat(log.c_str(), &found) != 0 || (S_ISREG(found.st_mode) && found.st_size == 0))
    return;
  constexpr int most_names = 100;
  auto aside = beside(log, ".foreign");
  for (int i = 2; ::lstat(aside.c_str(), &found) == 0; ++i) {
    if (i > most_names)
      return;
    aside = beside(log, (".foreign." + std::to_string(i)).c_str());
  }
  std::rename(log.c_str(), aside.c_str());
}

} // namespace

files_in_use::files_in_use(file_mark database, const fs::path& file, bool has_log)
    : database_{std::move(database)}
    , database_path_{file}
    , log_path_{beside(file, "-wal")}
    , memory_path_{beside(file, "-shm")}
    , has_log_{has_log} {}

expected<files_in_use> files_in_use::of(connection& db, const fs::path& directory) {
  const auto file = database_file(directory);
  auto mark = file_mark::of(file);
  if (!mark)
    return mark.error();
  auto mode = db.text("PRAGMA journal_mode");
  if (!mode)
    return mode.error();
  files_in_use result{std::move(*mark), file, *mode == "wal"};
  auto known = result.look_at_database(db);
  if (!known)
    return known.error();
  result.known_ = *known;
  return result;
}

expected<files_in_use::database_shape> files_in_use::look_at_database(connection& db) const {
  auto* file = file_of(db);
  sqlite3_int64 size = 0;
  if (file == nullptr || file->pMethods->xFileSize(file, &size) != SQLITE_OK)
    return error{ec::storage, database_path_.string() + ": its size cannot be found out"};
  std::array<unsigned char, count_of_pages_at + 4> header{};
  // A short read is filled up with zeros.
  if (const int status
      = file->pMethods->xRead(file, header.data(), static_cast<int>(header.size()), 0);
      status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ)
    return error{ec::storage, database_path_.string() + ": " + sqlite3_errstr(status)};
  database_shape result;
  result.bytes = static_cast<std::uint64_t>(size);
  const auto page = big_endian(&header[size_of_page_at], 2);
  result.claimed = big_endian(&header[count_of_pages_at], 4) * (page == 1 ? 65536U : page);
  std::copy_n(header.begin(), result.format.size(), result.format.begin());
  return result;
}

expected<void> files_in_use::check_database(connection& db) {
  auto found = look_at_database(db);
  if (!found)
    return found.error();
  // A database does not shrink by itself; a client that shrinks it (VACUUM) updates the header.
  const bool is_cut = found->bytes < known_.bytes && found->bytes < found->claimed;
  if (is_cut || found->format != known_.format)
    return error{ec::storage, database_path_.string()
                                  + ": was cut short or written over while it was in use: what was"
                                    " in it is lost, unless there is a copy"};
  known_ = *found;
  return {};
}

std::optional<files_in_use::log_end> files_in_use::end_of_log(connection& db) {
  auto* file = file_of(db);
  if (file == nullptr || file->pMethods->iVersion < 2)
    return std::nullopt;
  void volatile* memory = nullptr;
  if (file->pMethods->xShmMap(file, 0, memory_region, 0, &memory) != SQLITE_OK || memory == nullptr)
    return std::nullopt;
  // Only this head writes this memory.
  std::array<unsigned char, memory_header> header{};
  std::memcpy(header.data(), const_cast<const void*>(memory), header.size());
  const auto last = native<std::uint32_t>(&header[last_frame_at]);
  if (last == 0)
    return std::nullopt;
  const auto written = native<std::uint16_t>(&header[page_size_at]);
  const std::uint64_t page = written == 1 ? 65536U : written;
  log_end result;
  result.at = log_header + (last - 1) * (frame_header + page);
  result.size = result.at + frame_header + page;
  std::memcpy(result.salt.data(), &header[salt_at], result.salt.size());
  for (std::size_t i = 0; i < 8; i += 4)
    put_big_endian(&result.sum[i], native<std::uint32_t>(&header[frame_sum_at + i]));
  return result;
}

expected<void> files_in_use::open_log() {
  if (log_)
    return {};
  // O_NONBLOCK: opening a named pipe would block.
  auto opened = open_file(log_path_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, "read");
  struct ::stat about {};
  if (opened && (::fstat(opened->number(), &about) != 0 || !S_ISREG(about.st_mode)))
    return lost(log_path_);
  if (!opened && opened.error().code == ec::shortage)
    return opened.error();
  // A file that cannot be opened was not made by SQLite.
  if (!opened)
    return lost(log_path_);
  auto memory = file_mark::of(memory_path_);
  if (!memory)
    return lost(memory_path_);
  log_ = std::move(*opened);
  memory_ = std::move(*memory);
  return {};
}

expected<void> files_in_use::check_before(connection& db) {
  // A checkpoint in the transaction could hide that the file was truncated.
  auto whole = check_database(db);
  return whole ? check_log(db) : whole;
}

expected<void> files_in_use::check_log(connection& db) {
  const auto end = has_log_ ? end_of_log(db) : std::nullopt;
  // A log that is not open yet is checked after the transaction.
  if (!end || !log_)
    return {};
  struct ::stat about {};
  std::array<unsigned char, frame_header> found{};
  const auto size
      = ::pread(log_->number(), found.data(), found.size(), static_cast<off_t>(end->at));
  if (size < 0 || ::fstat(log_->number(), &about) != 0)
    return system_error(log_path_, "read", errno);
  if (static_cast<std::size_t>(size) == found.size()
      && static_cast<std::uint64_t>(about.st_size) >= end->size
      && std::memcmp(&found[8], end->salt.data(), 8) == 0
      && std::memcmp(&found[16], end->sum.data(), 8) == 0)
    return {};
  return error{ec::storage, log_path_.string()
                                + ": was cut short or written over while it was in use: what was in"
                                  " it last is lost, unless there is a copy"};
}

bool files_in_use::is_log_in_place() const {
  struct ::stat open {};
  struct ::stat named {};
  return ::fstat(log_->number(), &open) == 0 && ::lstat(log_path_.c_str(), &named) == 0
         && open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

expected<void> files_in_use::check_places() {
  if (auto opened = open_log(); !opened)
    return opened;
  if (!is_log_in_place())
    return lost(log_path_);
  return memory_->check();
}

/// SQLite still has the log open, even if it was unlinked.
error files_in_use::save_log(connection& db, const error& why) {
  auto busy = db.number("PRAGMA wal_checkpoint(FULL)");
  if (!busy || *busy != 0)
    return {why.code, why.detail + "; what it held could not be brought into the database: "
                          + (busy ? "a reader holds it" : busy.error().detail)};
  if (!log_ || !is_log_in_place())
    set_aside(log_path_);
  return {why.code, why.detail + "; nothing recorded is lost with it: go on with the experiment by "
                        + std::string{way_to_resume()} + ", or by "
                        + program_call("resume " + shell_word(log_path_.parent_path().string()))};
}

expected<void> files_in_use::check(connection& db, directory_lock& lock) {
  if (auto there = database_.check(); !there)
    return there;
  if (auto whole = check_database(db); !whole)
    return whole;
  // From here on, no other head can have begun to write.
  if (auto ours = lock.keep(); !ours || !has_log_)
    return ours;
  if (auto there = check_places(); !there)
    return save_log(db, there.error());
  return check_log(db);
}

} // namespace tune::store
