// SPDX-License-Identifier: BSD-3-Clause
#include "file_watch.hpp"

#include "tune/io/files/guarded_directory.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t wanted
    = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR | IN_EXCL_UNLINK;

/// Neither a link is followed nor a mount point entered, which might never answer.
int watch_directory(int notes, const fs::path& directory, const fs::path& way) {
  const auto own = directory.has_filename() ? directory : directory.parent_path();
  auto held = guarded_directory::open(own.parent_path(),
                                      way.empty() ? own.filename() : own.filename() / way);
  if (!held)
    return -1;
  const auto place = "/proc/self/fd/" + std::to_string(held->number());
  return ::inotify_add_watch(notes, place.c_str(), wanted);
}

} // namespace

int file_watch::add(std::uint64_t process, const fs::path& directory,
                    std::vector<std::string> files) {
  const auto made = !notes_;
  if (made)
    notes_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!notes_)
    return -1;
  auto& what = processes_[process];
  what = {directory, std::move(files), {}};
  look(process, what);
  return made ? notes_.get() : -1;
}

/// Watches each directory on the way to a file that is there by now.
void file_watch::look(std::uint64_t process, watched& what) {
  for (const auto& file : what.files) {
    fs::path way;
    for (const auto& part : fs::path{file}) {
      const auto watch = watch_directory(notes_.get(), what.directory, way);
      if (watch < 0)
        break;
      what.watches.insert(watch);
      owners_[watch] = process;
      names_[watch].insert(part.string());
      way = way.empty() ? part : way / part;
    }
  }
}

void file_watch::remove(std::uint64_t process) {
  auto found = processes_.find(process);
  if (found == processes_.end())
    return;
  for (auto watch : found->second.watches) {
    ::inotify_rm_watch(notes_.get(), watch);
    owners_.erase(watch);
    names_.erase(watch);
  }
  processes_.erase(found);
}

void file_watch::take(int watch, const char* name, std::uint32_t what,
                      std::set<std::uint64_t>& changed) {
  auto owner = owners_.find(watch);
  if (owner == owners_.end() || !names_[watch].contains(name))
    return;
  const auto process = owner->second;
  // A directory on the way: what is in it by now was not told.
  if ((what & IN_ISDIR) != 0)
    look(process, processes_[process]);
  else if ((what & IN_CREATE) != 0)
    return;
  changed.insert(process);
}

std::set<std::uint64_t> file_watch::changed() {
  std::set<std::uint64_t> result;
  alignas(inotify_event) std::array<char, 16 * 1024> buffer;
  for (;;) {
    const auto count = ::read(notes_.get(), buffer.data(), buffer.size());
    if (count <= 0)
      return result;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      inotify_event head{};
      std::memcpy(&head, buffer.data() + at, sizeof head);
      if ((head.mask & IN_Q_OVERFLOW) != 0) // Some were lost: any may have changed.
        for (const auto& [process, what] : processes_)
          result.insert(process);
      else if (head.len > 0)
        take(head.wd, buffer.data() + at + sizeof head, head.mask, result);
      at += sizeof head + head.len;
    }
  }
}

} // namespace tune
