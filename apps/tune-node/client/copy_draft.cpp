// SPDX-License-Identifier: BSD-3-Clause
#include "client/copy_draft.hpp"

#include "console/text.hpp"
#include "tune/io/files/remove_tree.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace tune::cli {

namespace {

namespace fs = std::filesystem;
using store::descriptor;

constexpr ::mode_t draft_mode = 01700;
/// Limit on making a directory that others remove at once.
constexpr int most_draft_tries = 100;

error draft_failed(const fs::path& path, int number) {
  return {ec::storage, printable(path.string()) + ": " + std::strerror(number)};
}

error target_is_there(const fs::path& target) {
  return {ec::refused, printable(target.string()) + " is there already: choose another by --to"};
}

error no_draft(const fs::path& path) {
  return {ec::refused, printable(path.string())
                           + " is in the way, and is no unfinished copy: rename it, or choose"
                             " another place by --to"};
}

bool is_something_at(const fs::path& path) {
  struct ::stat about {};
  return ::lstat(path.c_str(), &about) == 0;
}

bool lies_still_at(const descriptor& open, const fs::path& path) {
  struct ::stat one {};
  struct ::stat other {};
  return ::fstat(open.number(), &one) == 0 && ::lstat(path.c_str(), &other) == 0
         && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/// Whether a process left it that made a draft here. A directory may inherit S_ISGID.
bool is_draft(const descriptor& open) {
  struct ::stat about {};
  return ::fstat(open.number(), &about) == 0 && about.st_uid == ::geteuid()
         && (about.st_mode & 07777 & ~S_ISGID) == draft_mode;
}

::mode_t current_umask() {
  const auto result = ::umask(077);
  ::umask(result);
  return result;
}

/// Renames unless something is there. @returns whether it did; otherwise `errno` tells why not.
bool rename_to_free(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS)
    return false;
  // The file system cannot do that.
  if (is_something_at(to)) {
    errno = EEXIST;
    return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

} // namespace

expected<void> copy_draft::begin(fs::path target) {
  discard();
  if (!target.has_filename())
    target = target.parent_path();
  std::lock_guard step{steps_};
  target_ = std::move(target);
  for (int i = 0; i < most_draft_tries; ++i) {
    if (is_something_at(target_))
      return target_is_there(target_);
    std::error_code ignored;
    auto path = fs::absolute(target_, ignored);
    path += ".part";
    const bool made = ::mkdir(path.c_str(), draft_mode) == 0;
    if (!made && errno != EEXIST)
      return draft_failed(path, errno);
    directory_ = descriptor{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (directory_.number() < 0 && errno == ENOENT)
      continue;
    if (directory_.number() < 0)
      return no_draft(path);
    path_ = std::move(path);
    auto taken = take(made);
    if (!taken)
      path_.clear();
    if (!taken || !path_.empty())
      return taken;
  }
  return error{ec::storage, printable(target_.string()) + ".part is removed as soon as it is made"};
}

/// Locks the directory that was opened. Clears its path where it has to be made anew.
expected<void> copy_draft::take(bool made) {
  const bool locked = ::flock(directory_.number(), LOCK_EX | LOCK_NB) == 0;
  if (!locked && errno == EWOULDBLOCK)
    return error{ec::refused, printable(path_.string())
                                  + ": it is being fetched by another process now: wait for that,"
                                    " or choose another place by --to"};
  if (made && lies_still_at(directory_, path_)) {
    // The umask may have taken something away. A file system without locks has no others here.
    return ::fchmod(directory_.number(), draft_mode) == 0 ? expected<void>{}
                                                          : draft_failed(path_, errno);
  }
  if (!made && (!locked || !is_draft(directory_)) && ::rmdir(path_.c_str()) != 0)
    return no_draft(path_);
  if (!made && lies_still_at(directory_, path_)) {
    if (auto removed = remove_tree(path_, without_limit); !removed)
      return removed;
  }
  path_.clear();
  return {};
}

void copy_draft::discard() {
  std::lock_guard step{steps_};
  remove();
}

void copy_draft::remove() {
  if (!path_.empty())
    static_cast<void>(remove_tree(path_, without_limit));
  path_.clear();
  directory_ = descriptor{-1};
}

expected<void> copy_draft::end() {
  std::lock_guard step{steps_};
  struct ::stat about {};
  const bool has_rights
      = ::fstat(directory_.number(), &about) == 0
        && ::fchmod(directory_.number(), (0777 & ~current_umask()) | (about.st_mode & S_ISGID))
               == 0;
  if (has_rights && rename_to_free(path_, target_)) {
    has_ended_ = true;
    path_.clear();
    return {};
  }
  return errno == EEXIST ? target_is_there(target_) : draft_failed(target_, errno);
}

bool copy_draft::abandon() {
  std::unique_lock step{steps_};
  if (has_ended_)
    return false;
  remove();
  step.release();
  return true;
}

} // namespace tune::cli
