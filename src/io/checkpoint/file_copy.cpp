// SPDX-License-Identifier: BSD-3-Clause
#include "file_copy.hpp"

#include "../store/posix.hpp"

#include "tune/io/checkpoint/checkpoint_limits.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t copied_at_once = 1024 * 1024;
/// So much is written before the disk is looked at again, and told to begin.
constexpr std::uint64_t written_at_once = std::uint64_t{32} << 20;
constexpr ::mode_t permissions = 0777;

error failed(const std::string& doing, const fs::path& where, int why) {
  return {ec::storage, "cannot " + doing + " " + where.string() + ": " + std::strerror(why)};
}

/// Where a file has content.
struct extent {
  ::off_t begin;
  ::off_t end;
};

/// The first extent at or behind `from`; empty at `size` where nothing but holes is left. A file
/// system that knows no holes has one extent.
extent next_extent(int file, ::off_t from, ::off_t size) {
  const auto begin = ::lseek(file, from, SEEK_DATA);
  if (begin < 0)
    return errno == ENXIO ? extent{size, size} : extent{from, size};
  const auto end = ::lseek(file, begin, SEEK_HOLE);
  return {std::min(begin, size), end < 0 ? size : std::min(end, size)};
}

/// A copy that is being made.
struct file_pair {
  fs::path from_path;
  fs::path to_path;
  store::descriptor from;
  store::descriptor to;
  std::vector<char> buffer = std::vector<char>(copied_at_once);
  std::uint64_t unsynced = 0;

  /// @returns how far it came.
  expected<::off_t> copy_some(::off_t at, ::off_t end) {
    const auto size = std::min<std::size_t>(buffer.size(), static_cast<std::size_t>(end - at));
    const auto count = ::pread(from.number(), buffer.data(), size, at);
    if (count < 0)
      return errno == EINTR ? expected<::off_t>{at} : failed("read", from_path, errno);
    if (count == 0)
      return error{ec::storage, from_path.string() + " became shorter while it was copied"};
    for (::ssize_t done = 0; done < count;) {
      const auto put = ::pwrite(to.number(), buffer.data() + done,
                                static_cast<std::size_t>(count - done), at + done);
      if (put < 0 && errno != EINTR)
        return failed("write", to_path, errno);
      done += std::max<::ssize_t>(put, 0);
    }
    unsynced += static_cast<std::uint64_t>(count);
    return at + count;
  }

  /// Now and then: has the disk begin, and sees that it does not fill up.
  expected<void> look_after_disk() {
    if (unsynced < written_at_once)
      return {};
    unsynced = 0;
    ::sync_file_range(to.number(), 0, 0, SYNC_FILE_RANGE_WRITE);
    return check_room(to_path.parent_path(), written_at_once);
  }
};

expected<file_pair> open_pair(fs::path from, fs::path to) {
  store::descriptor source{::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (source.number() < 0)
    return failed("copy", from, errno);
  // What another put there is not written into.
  ::unlink(to.c_str());
  store::descriptor target{
      ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (target.number() < 0)
    return failed("write", to, errno);
  return file_pair{std::move(from), std::move(to), std::move(source), std::move(target)};
}

} // namespace

expected<void> check_room(const fs::path& directory, std::uint64_t bytes) {
  std::error_code why;
  const auto room = fs::space(directory, why);
  if (why)
    return {};
  const auto kept = room_kept_free(room.capacity);
  if (room.available >= kept && room.available - kept >= bytes)
    return {};
  return error{ec::storage, "no room for " + directory.string() + ": it needs "
                                + std::to_string(bytes) + " bytes, and "
                                + std::to_string(room.available) + " are left, of which "
                                + std::to_string(kept) + " are kept for the record"};
}

sliced<expected<void>> copying_file(fs::path from, fs::path to) {
  auto pair = open_pair(std::move(from), std::move(to));
  if (!pair)
    co_return pair.error();
  struct stat about {};
  if (::fstat(pair->from.number(), &about) != 0)
    co_return failed("copy", pair->from_path, errno);
  if (!S_ISREG(about.st_mode))
    co_return error{ec::storage, "cannot copy " + pair->from_path.string() + ": it is no file"};
  for (::off_t at = 0; at < about.st_size;) {
    const auto some = next_extent(pair->from.number(), at, about.st_size);
    for (at = some.begin; at < some.end;) {
      auto reached = pair->copy_some(at, some.end);
      if (!reached)
        co_return reached.error();
      at = *reached;
      auto room = pair->look_after_disk();
      if (!room)
        co_return room;
      co_await next_slice{};
    }
  }
  // A hole at its end is nothing that was written.
  if (::ftruncate(pair->to.number(), about.st_size) != 0
      || ::fchmod(pair->to.number(), about.st_mode & permissions) != 0)
    co_return failed("write", pair->to_path, errno);
  co_return expected<void>{};
}

sliced<expected<void>> syncing(fs::path what) {
  store::descriptor opened{::open(what.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  struct stat about {};
  if (opened.number() < 0 || ::fstat(opened.number(), &about) != 0)
    co_return failed("open", what, errno);
  // Piece by piece: all at once would keep others waiting for as long as the disk writes.
  constexpr auto piece = static_cast<::off_t>(written_at_once);
  for (::off_t at = 0; S_ISREG(about.st_mode) && at < about.st_size; at += piece) {
    constexpr unsigned all
        = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    // Where that cannot be, or fails, it is told by what comes last.
    static_cast<void>(::sync_file_range(opened.number(), at, piece, all));
    co_await next_slice{};
  }
  if (::fsync(opened.number()) != 0)
    co_return failed("sync", what, errno);
  // One that is empty takes its time, too.
  co_await next_slice{};
  co_return expected<void>{};
}

} // namespace tune
