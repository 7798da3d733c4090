// SPDX-License-Identifier: BSD-3-Clause
#include "up/private_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

error private_fault(const std::string& doing, const fs::path& what) {
  return {ec::storage, "cannot " + doing + " " + what.string() + ": " + std::strerror(errno)};
}

bool is_same(const struct stat& x, const struct stat& y) {
  return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/// Whether the open directory still lies at its path.
bool lies_there(const guarded_directory& directory) {
  struct stat opened = {};
  struct stat there = {};
  return ::fstat(directory.number(), &opened) == 0 && ::stat(directory.path().c_str(), &there) == 0
         && is_same(opened, there);
}

/// Whether the open file still has this name in the directory.
bool lies_there(const store::descriptor& file, const guarded_directory& directory,
                const std::string& name) {
  struct stat opened = {};
  struct stat there = {};
  return ::fstat(file.number(), &opened) == 0
         && ::fstatat(directory.number(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0
         && is_same(opened, there);
}

} // namespace

expected<guarded_directory> open_private(const fs::path& directory) {
  auto opened = guarded_directory::open(directory);
  if (!opened)
    return opened.error();
  struct stat about = {};
  if (::fstat(opened->number(), &about) != 0)
    return private_fault("look at", directory);
  if (about.st_uid != ::geteuid())
    return error{ec::refused, directory.string() + " belongs to another user, who could take part"};
  if ((about.st_mode & 077) != 0)
    return error{ec::refused, directory.string()
                                  + " is open to others, and keys will lie there: chmod 700 it, or "
                                    "name one that does not exist yet"};
  return opened;
}

expected<void> make_private(const fs::path& directory) {
  std::error_code failed;
  if (directory.has_parent_path())
    fs::create_directories(directory.parent_path(), failed);
  if (failed)
    return error{ec::storage,
                 "cannot make " + directory.parent_path().string() + ": " + failed.message()};
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return private_fault("make", directory);
  return {};
}

expected<store::descriptor> lock_in(const guarded_directory& directory, const std::string& name,
                                    const std::string& held) {
  auto file = directory.extend(name, 0600);
  if (!file)
    return file.error();
  // One that only looks holds it for a moment.
  constexpr int most_tries = 20;
  constexpr std::chrono::milliseconds pace{50};
  for (int i = 1; ::flock(file->number(), LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EWOULDBLOCK)
      return private_fault("lock", directory.path() / name);
    if (i == most_tries)
      return error{ec::refused, held};
    std::this_thread::sleep_for(pace);
  }
  return file;
}

expected<held_directory> hold_private(const fs::path& directory, const std::string& name,
                                      const std::string& held) {
  // Each of them is one that another process removed meanwhile.
  constexpr int most_tries = 20;
  for (int i = 1;; ++i) {
    if (auto made = make_private(directory); !made)
      return made.error();
    auto opened = open_private(directory);
    std::error_code failed;
    if (!opened && (i == most_tries || fs::exists(directory, failed) || failed))
      return opened.error();
    if (!opened)
      continue;
    auto lock = lock_in(*opened, name, held);
    if (!lock && (i == most_tries || lies_there(*opened)))
      return lock.error();
    if (lock && lies_there(*opened) && lies_there(*lock, *opened, name))
      return held_directory{std::move(*opened), std::move(*lock)};
    if (i == most_tries)
      return error{ec::refused, held};
  }
}

bool is_locked_in(const guarded_directory& directory, const std::string& name) {
  auto file = directory.read(name);
  return file && ::flock(file->number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

} // namespace tune::cli
