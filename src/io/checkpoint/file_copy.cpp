// SPDX-License-Identifier: BSD-3-Clause
#include "file_copy.hpp"

#include "files/directory_list.hpp"

#include "tune/io/checkpoint/checkpoint_limits.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t copied_at_once = 1024 * 1024;
/// Bytes written between two checks of the disk space, each of which also starts writeback.
constexpr std::uint64_t written_at_once = std::uint64_t{32} << 20;
constexpr ::mode_t permissions = 0777;

error failed(const std::string& doing, const fs::path& where, int why) {
  return {ec::storage, "cannot " + doing + " " + where.string() + ": " + std::strerror(why)};
}

/// A range of a file that has data.
struct extent {
  ::off_t begin;
  ::off_t end;
};

/// The first extent at or after `from`; empty at `size` if only holes are left. Without support for
/// holes, a file has one extent.
extent next_extent(int file, ::off_t from, ::off_t size) {
  const auto begin = ::lseek(file, from, SEEK_DATA);
  if (begin < 0)
    return errno == ENXIO ? extent{size, size} : extent{from, size};
  const auto end = ::lseek(file, begin, SEEK_HOLE);
  return {std::min(begin, size), end < 0 ? size : std::min(end, size)};
}

/// A copy in progress.
struct file_pair {
  copied_file what;
  store::descriptor to;
  /// Grows to the size of the largest piece so far.
  std::vector<char> buffer = {};
  std::uint64_t unsynced = 0;

  /// @returns the position reached.
  expected<::off_t> copy_some(::off_t at, ::off_t end) {
    const auto size = std::min<std::size_t>(copied_at_once, static_cast<std::size_t>(end - at));
    buffer.resize(std::max(buffer.size(), size));
    const auto count = ::pread(what.from.number(), buffer.data(), size, at);
    if (count < 0)
      return errno == EINTR ? expected<::off_t>{at} : failed("read", what.from_path, errno);
    if (count == 0)
      return error{ec::storage, what.from_path.string() + " became shorter while it was copied"};
    for (::ssize_t done = 0; done < count;) {
      const auto put = ::pwrite(to.number(), buffer.data() + done,
                                static_cast<std::size_t>(count - done), at + done);
      if (put < 0 && errno != EINTR)
        return failed("write", what.to->path() / what.name, errno);
      done += std::max<::ssize_t>(put, 0);
    }
    unsynced += static_cast<std::uint64_t>(count);
    return at + count;
  }

  /// From time to time starts writeback and checks that the disk does not fill up.
  expected<void> look_after_disk() {
    if (unsynced < written_at_once)
      return {};
    unsynced = 0;
    ::sync_file_range(to.number(), 0, 0, SYNC_FILE_RANGE_WRITE);
    return check_room(*what.to, written_at_once);
  }
};

expected<file_pair> open_pair(copied_file what) {
  // Removes an existing file, so that nobody else's file is written to.
  if (::unlinkat(what.to->number(), what.name.c_str(), 0) != 0 && errno == EBUSY)
    return files::not_reached(what.to->path() / what.name, "write", errno, ec::storage);
  store::descriptor target{::openat(what.to->number(), what.name.c_str(),
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (target.number() < 0)
    return failed("write", what.to->path() / what.name, errno);
  return file_pair{std::move(what), std::move(target)};
}

} // namespace

expected<void> check_room(const guarded_directory& where, std::uint64_t bytes) {
  struct ::statvfs about {};
  if (::fstatvfs(where.number(), &about) != 0)
    return {};
  const auto available = std::uint64_t{about.f_bavail} * about.f_frsize;
  const auto kept = room_kept_free(std::uint64_t{about.f_blocks} * about.f_frsize);
  if (available >= kept && available - kept >= bytes)
    return {};
  return error{ec::storage, "no room for " + where.path().string() + ": it needs "
                                + std::to_string(bytes) + " bytes, and " + std::to_string(available)
                                + " are left, of which " + std::to_string(kept)
                                + " are kept for the record"};
}

sliced<expected<void>> copying_file(copied_file what) {
  struct stat about {};
  if (::fstat(what.from.number(), &about) != 0)
    co_return failed("copy", what.from_path, errno);
  if (!S_ISREG(about.st_mode))
    co_return error{ec::storage, "cannot copy " + what.from_path.string() + ": it is no file"};
  auto pair = open_pair(std::move(what));
  if (!pair)
    co_return pair.error();
  for (::off_t at = 0; at < about.st_size;) {
    const auto some = next_extent(pair->what.from.number(), at, about.st_size);
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
  // Extends the file by a hole at its end, which was not written.
  if (::ftruncate(pair->to.number(), about.st_size) != 0
      || ::fchmod(pair->to.number(), about.st_mode & permissions) != 0)
    co_return failed("write", pair->what.to->path() / pair->what.name, errno);
  co_return expected<void>{};
}

sliced<expected<void>> syncing(store::descriptor opened, fs::path shown) {
  struct stat about {};
  if (::fstat(opened.number(), &about) != 0)
    co_return failed("open", shown, errno);
  // Piece by piece, because a single sync would keep others waiting until all is written.
  constexpr auto piece = static_cast<::off_t>(written_at_once);
  for (::off_t at = 0; S_ISREG(about.st_mode) && at < about.st_size; at += piece) {
    constexpr unsigned all
        = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    // Any failure also shows in the final fsync.
    static_cast<void>(::sync_file_range(opened.number(), at, piece, all));
    co_await next_slice{};
  }
  if (::fsync(opened.number()) != 0)
    co_return failed("sync", shown, errno);
  // Syncing an empty file takes time, too.
  co_await next_slice{};
  co_return expected<void>{};
}

sliced<expected<void>> syncing_beneath(const guarded_directory& held, fs::path way) {
  auto shown = way.empty() ? held.path() : held.path() / way;
  store::descriptor opened{beneath::open(held.number(), way, O_RDONLY | O_NONBLOCK | O_NOCTTY)};
  if (opened.number() < 0)
    co_return files::not_reached(shown, "open", errno, ec::storage);
  co_return co_await syncing(std::move(opened), std::move(shown));
}

} // namespace tune
