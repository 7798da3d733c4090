// SPDX-License-Identifier: BSD-3-Clause
#include "worker/work_directory.hpp"

#include "tune/io/files/job_directories.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

constexpr int most_workers = 1000;

/// @returns the lock; nothing if another process holds it.
expected<std::optional<int>> lock(const fs::path& directory) {
  std::error_code why;
  const bool is_new = fs::create_directories(directory, why);
  if (why)
    return error{ec::storage, "cannot make " + directory.string() + ": " + why.message()};
  // An existing directory keeps its mode: it may be the user's own. Files created in it are
  // private.
  if (is_new)
    fs::permissions(directory, fs::perms::owner_all, why);
  auto file = directory / "lock";
  auto descriptor
      = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (descriptor < 0)
    return error{ec::storage, "cannot open " + file.string() + ": " + std::strerror(errno)};
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    auto marked = mark_work_directory(directory);
    if (marked)
      return std::optional{descriptor};
    ::close(descriptor);
    return marked.error();
  }
  auto fault = errno;
  ::close(descriptor);
  if (fault == EWOULDBLOCK)
    return std::optional<int>{};
  return error{ec::storage, "cannot lock " + file.string() + ": " + std::strerror(fault)};
}

/// Whether `name` still refers to this open file.
bool is_at(const fs::path& name, int file) {
  struct stat there = {};
  struct stat ours = {};
  return ::lstat(name.c_str(), &there) == 0 && ::fstat(file, &ours) == 0
         && there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

} // namespace

fs::path default_work_directory(const std::string& whose) {
  if (const auto* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return fs::path{cache} / "tune-node" / whose;
  if (const auto* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path{home} / ".cache" / "tune-node" / whose;
  return fs::temp_directory_path() / ("tune-node-" + std::to_string(::getuid())) / whose;
}

expected<work_directory> work_directory::claim(const fs::path& wanted, const std::string& whose) {
  auto base = fs::absolute(wanted.empty() ? default_work_directory(whose) : wanted);
  for (int i = 1; i <= most_workers; ++i) {
    auto path = i == 1 ? base : fs::path{base.string() + "-" + std::to_string(i)};
    if (auto fine = check_work_directory(path); !fine)
      return fine.error();
    auto held = lock(path);
    if (!held)
      return held.error();
    if (*held)
      return work_directory{std::move(path), **held};
    if (!wanted.empty())
      return error{ec::refused, "another " + whose + " uses " + path.string()};
  }
  return error{ec::refused, "too many " + whose + "s use " + base.string()};
}

expected<void> work_directory::keep() {
  if (is_at(path_ / "lock", lock_))
    return {};
  auto held = lock(path_);
  if (!held)
    return held.error();
  if (!*held)
    return error{ec::refused, path_.string()
                                  + " was taken by another process, after its file"
                                    " \"lock\" had been removed"};
  ::close(std::exchange(lock_, **held));
  return {};
}

work_directory::work_directory(work_directory&& x) noexcept
    : path_{std::move(x.path_)}, lock_{std::exchange(x.lock_, -1)} {}

work_directory::~work_directory() {
  if (lock_ >= 0)
    ::close(lock_);
}

} // namespace tune::cli
