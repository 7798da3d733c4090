// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/pause_memory.hpp"

#include "doomed_directory.hpp"
#include "files/directory_list.hpp"
#include "posix/posix.hpp"

#include "tune/core/experiment/event.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/remove_tree.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tune {

namespace fs = std::filesystem;

namespace {

bool is_memory(const fs::path& where) {
  struct statfs about {};
  return ::statfs(where.c_str(), &about) == 0
         && (about.f_type == TMPFS_MAGIC || about.f_type == RAMFS_MAGIC);
}

/// Whether `where` is a directory of this user that nobody else can write to.
bool is_ours(const fs::path& where) {
  struct stat about {};
  constexpr mode_t others = S_IWGRP | S_IWOTH;
  return ::lstat(where.c_str(), &about) == 0 && S_ISDIR(about.st_mode)
         && about.st_uid == ::geteuid() && (about.st_mode & others) == 0;
}

constexpr const char* lock_ending = ".lock";

/// The lock file of a directory, beside it, because the directory itself comes and goes.
fs::path lock_of(const fs::path& directory) {
  return directory.parent_path() / ("." + directory.filename().string() + lock_ending);
}

/// Whether `fresh_name` could have made this name: two numbers. No other directory is removed.
bool is_fresh_name(const std::string& name) {
  constexpr std::string_view digits = "0123456789";
  const auto dash = name.find('-');
  return dash != 0 && dash != name.npos && dash + 1 < name.size()
         && name.find_first_not_of(digits) == dash
         && name.find_first_not_of(digits, dash + 1) == name.npos;
}

/// The name of the directory that a lock file belongs to; empty if it is not a lock file.
std::optional<std::string> locked_by(const std::string& lock) {
  constexpr std::string_view ending{lock_ending};
  if (!lock.starts_with('.') || !lock.ends_with(ending) || lock.size() <= ending.size() + 1)
    return std::nullopt;
  auto result = lock.substr(1, lock.size() - 1 - ending.size());
  return is_fresh_name(result) ? std::optional{std::move(result)} : std::nullopt;
}

/// @returns the locked file if it is still the one at its path; -1 if another process holds the
///          lock.
store::descriptor lock(const fs::path& file, int flags) {
  store::descriptor result{::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600)};
  struct stat held {};
  struct stat there {};
  if (result.number() < 0 || ::flock(result.number(), LOCK_EX | LOCK_NB) != 0
      || ::fstat(result.number(), &held) != 0 || ::lstat(file.c_str(), &there) != 0
      || held.st_ino != there.st_ino)
    return store::descriptor{-1};
  return result;
}

/// Removes directories of killed processes, whose locks nobody holds. PIDs would not do, since
/// other containers may share this memory.
void sweep(const fs::path& all) {
  std::error_code ignored;
  for (fs::directory_iterator i{all, ignored}; i != fs::end(i); i.increment(ignored)) {
    const auto file = i->path();
    const auto name = locked_by(file.filename().string());
    if (!name)
      continue;
    // If something cannot be removed, the lock file stays, too, and the next sweep tries again.
    if (auto held = lock(file, 0); held.number() >= 0 && remove_tree(all / *name))
      fs::remove(file, ignored);
  }
}

/// A name that no other process uses.
std::string fresh_name() {
  std::array<unsigned char, 8> chance{};
  static_cast<void>(::getentropy(chance.data(), chance.size()));
  auto result = std::to_string(::getpid()) + "-";
  for (auto byte : chance)
    result += std::to_string(byte);
  return result;
}

/// Total size of regular files; mounted file systems do not count, since they use none of this
/// memory.
sliced<std::uint64_t> summing_bytes_below(fs::path directory) {
  std::uint64_t result = 0;
  auto held = guarded_directory::open(directory);
  std::vector<fs::path> open(held ? 1 : 0);
  while (!open.empty()) {
    const auto branch = std::move(open.back());
    open.pop_back();
    auto names = files::directory_list::open(held->number(), branch, directory, ec::storage);
    while (names) {
      auto next = names->next();
      if (!next || !*next)
        break;
      const auto& name = (*next)->name;
      auto about = files::look_beneath(names->number(), name, directory, ec::storage);
      if (about && S_ISDIR(about->st_mode))
        open.push_back(branch / name);
      else if (about && S_ISREG(about->st_mode))
        result += static_cast<std::uint64_t>(about->st_size);
      co_await next_slice{};
    }
  }
  co_return result;
}

/// Copies the draft to disk.
sliced<expected<checkpoint_draft>> copying_to_disk(checkpoint_draft what, fs::path on_disk) {
  const auto name = what.directory.lexically_relative(what.experiment);
  auto made = make_directory({name, on_disk});
  if (!made)
    co_return made.error();
  doomed_directory to{on_disk, std::move(made->path)};
  auto done = co_await copying_checkpoint(what.directory, to.what, what.limits, link_rule::kept);
  if (!done)
    co_return done.error();
  what.experiment = on_disk;
  what.directory = std::exchange(to.what, {});
  what.durable = true;
  co_return what;
}

} // namespace

pause_memory pause_memory::make(const fs::path& where) {
  pause_memory result;
  if (!is_memory(where))
    return result;
  const auto all = where / ("tune-node-" + std::to_string(::geteuid()));
  ::mkdir(all.c_str(), S_IRWXU);
  // Another user may have created it first.
  if (!is_ours(all))
    return result;
  sweep(all);
  const auto directory = all / fresh_name();
  auto held = lock(lock_of(directory), O_CREAT | O_EXCL);
  // Without a lock, another process would take the directory for abandoned.
  if (held.number() < 0)
    return result;
  result.directory_ = directory;
  result.lock_ = std::move(held).release();
  return result;
}

pause_memory::pause_memory(pause_memory&& other) noexcept
    : directory_{std::exchange(other.directory_, {})}, lock_{std::exchange(other.lock_, -1)} {}

pause_memory& pause_memory::operator=(pause_memory&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(lock_, other.lock_);
  return *this;
}

pause_memory::~pause_memory() {
  if (directory_.empty())
    return;
  std::error_code ignored;
  if (remove_tree(directory_))
    fs::remove(lock_of(directory_), ignored);
  ::close(lock_);
  // Fails if directories of other processes are in it.
  fs::remove(directory_.parent_path(), ignored);
}

fs::path pause_directory(const fs::path& root, const std::string& job) {
  auto name = job;
  std::replace(name.begin(), name.end(), '/', '_');
  return root / ("job-" + name);
}

namespace {

sliced<expected<safe_checkpoint>> keeping(checkpoint_draft what, fs::path on_disk,
                                          std::uint64_t room, doomed_directory in_memory) {
  what.durable = false;
  if (co_await summing_bytes_below(what.experiment) <= room) {
    auto kept = co_await trying_to_commit(what);
    if (kept) {
      in_memory.what.clear();
      kept->location.insert(0, kept_in_memory);
      co_return kept;
    }
    // Other errors, such as no room for the manifest, may not occur on disk, but exceeded limits
    // would.
    if (kept.error().code == ec::refused)
      co_return kept;
  }
  auto copied = co_await copying_to_disk(what, std::move(on_disk));
  if (!copied)
    co_return copied.error();
  co_return co_await committing_checkpoint(*copied);
}

} // namespace

sliced<expected<safe_checkpoint>> keeping_in_memory(checkpoint_draft what, fs::path on_disk,
                                                    std::uint64_t room) {
  doomed_directory draft{what.experiment, what.directory};
  return keeping(std::move(what), std::move(on_disk), room, std::move(draft));
}

expected<fs::path> place_in_memory(const fs::path& memory, const std::string& location) {
  auto rest = location.substr(std::min(location.size(), kept_in_memory.size()));
  if (memory.empty() || !location.starts_with(kept_in_memory) || !is_checkpoint_location(rest))
    return error{ec::protocol, location + " is no checkpoint in the memory of this node"};
  return memory / rest;
}

} // namespace tune
