// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/checkpoint/pause_memory.hpp"

#include "tune/core/experiment/event.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

bool is_memory(const fs::path& where) {
  struct statfs about {};
  return ::statfs(where.c_str(), &about) == 0
         && (about.f_type == TMPFS_MAGIC || about.f_type == RAMFS_MAGIC);
}

/// Whether it is a directory of this user that nobody else can write into.
bool is_ours(const fs::path& where) {
  struct stat about {};
  constexpr mode_t others = S_IWGRP | S_IWOTH;
  return ::lstat(where.c_str(), &about) == 0 && S_ISDIR(about.st_mode)
         && about.st_uid == ::geteuid() && (about.st_mode & others) == 0;
}

/// The process that "<pid>-<number>" is named after; 0: none.
pid_t owner_of(const std::string& name) {
  pid_t result = 0;
  auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), result);
  return failed == std::errc{} && *end == '-' ? result : 0;
}

bool is_gone(pid_t process) {
  std::error_code ignored;
  return process > 0 && !fs::exists("/proc/" + std::to_string(process), ignored);
}

/// What processes left behind that were killed.
void sweep(const fs::path& all) {
  std::error_code ignored;
  for (fs::directory_iterator i{all, ignored}; i != fs::end(i); i.increment(ignored)) {
    if (is_gone(owner_of(i->path().filename().string())))
      fs::remove_all(i->path(), ignored);
  }
}

std::uint64_t bytes_below(const fs::path& directory) {
  std::uint64_t result = 0;
  std::error_code why;
  for (fs::recursive_directory_iterator i{directory, why}; !why && i != fs::end(i);
       i.increment(why)) {
    std::error_code ignored;
    if (i->is_regular_file(ignored) && !i->is_symlink(ignored))
      result += i->file_size(ignored);
  }
  return result;
}

/// Has the draft on disk instead.
expected<void> move_to_disk(checkpoint_draft& what, const fs::path& from, const fs::path& on_disk) {
  auto to = on_disk / what.directory.lexically_relative(what.experiment);
  std::error_code why;
  fs::create_directories(to, why);
  auto done = why ? expected<void>{error{ec::storage,
                                         "cannot make " + to.string() + ": " + why.message()}}
                  : copy_checkpoint(from, to);
  std::error_code ignored;
  fs::remove_all(from, ignored);
  if (!done) {
    fs::remove_all(to, ignored);
    return done;
  }
  what.experiment = on_disk;
  what.directory = std::move(to);
  what.durable = true;
  return {};
}

} // namespace

pause_memory pause_memory::make(const fs::path& where) {
  static std::atomic<unsigned> made{0};
  pause_memory result;
  if (!is_memory(where))
    return result;
  const auto all = where / ("tune-node-" + std::to_string(::geteuid()));
  ::mkdir(all.c_str(), S_IRWXU);
  // Somebody else may have been here first.
  if (!is_ours(all))
    return result;
  sweep(all);
  result.directory_ = all / (std::to_string(::getpid()) + "-" + std::to_string(++made));
  // Of a process that had this number before.
  std::error_code ignored;
  fs::remove_all(result.directory_, ignored);
  return result;
}

pause_memory::pause_memory(pause_memory&& other) noexcept
    : directory_{std::exchange(other.directory_, {})} {}

pause_memory& pause_memory::operator=(pause_memory&& other) noexcept {
  std::swap(directory_, other.directory_);
  return *this;
}

pause_memory::~pause_memory() {
  if (directory_.empty())
    return;
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
  // With those of other processes it stays.
  fs::remove(directory_.parent_path(), ignored);
}

fs::path pause_directory(const fs::path& root, const std::string& job) {
  auto name = job;
  std::replace(name.begin(), name.end(), '/', '_');
  return root / ("job-" + name);
}

expected<std::optional<safe_checkpoint>>
keep_in_memory(checkpoint_draft& what, const fs::path& on_disk, std::uint64_t room) {
  using result = expected<std::optional<safe_checkpoint>>;
  const auto draft = what.directory;
  what.durable = false;
  if (bytes_below(what.experiment) <= room) {
    // Its manifest may be what there is no room for.
    if (auto kept = try_to_commit(what)) {
      kept->location.insert(0, kept_in_memory);
      return result{std::optional{std::move(*kept)}};
    }
  }
  if (auto moved = move_to_disk(what, draft, on_disk); !moved)
    return moved.error();
  return result{std::optional<safe_checkpoint>{}};
}

expected<fs::path> place_in_memory(const fs::path& memory, const std::string& location) {
  auto rest = location.substr(std::min(location.size(), kept_in_memory.size()));
  if (memory.empty() || !location.starts_with(kept_in_memory) || !is_checkpoint_location(rest))
    return error{ec::protocol, location + " is no checkpoint in the memory of this node"};
  return memory / rest;
}

} // namespace tune
