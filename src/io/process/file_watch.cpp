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

/// Follows no symbolic link and enters no mount point, since that might never answer.
expected<guarded_directory> open_directory(const fs::path& directory, const fs::path& way) {
  const auto own = directory.has_filename() ? directory : directory.parent_path();
  return guarded_directory::open(own.parent_path(),
                                 way.empty() ? own.filename() : own.filename() / way);
}

} // namespace

int file_watch::add(std::uint64_t process, const fs::path& directory,
                    std::vector<std::string> files) {
  const auto made = !*notes_;
  if (made)
    notes_->reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!*notes_)
    return -1;
  processes_[process] = {directory, std::move(files), {}};
  return made ? notes_->get() : -1;
}

file_watch::search file_watch::search_for(std::uint64_t process) const {
  search result;
  auto known = processes_.find(process);
  if (known == processes_.end())
    return result;
  result.notes_ = notes_;
  result.directory_ = known->second.directory;
  result.files_ = known->second.files;
  return result;
}

file_watch::found file_watch::search::run() const {
  found result;
  for (const auto& file : files_)
    result.has_file = watch(file, result) || result.has_file;
  return result;
}

/// Watches each existing directory on the way to a file. @returns whether the file exists, too.
bool file_watch::search::watch(const std::string& file, found& into) const {
  fs::path way;
  for (const auto& part : fs::path{file}) {
    const auto held = open_directory(directory_, way);
    if (!held)
      return false;
    const auto place = "/proc/self/fd/" + std::to_string(held->number());
    const auto number = ::inotify_add_watch(notes_->get(), place.c_str(), wanted);
    if (number < 0)
      return false;
    into.watches.emplace_back(number, part.string());
    way = way.empty() ? part : way / part;
    if (way == file)
      return held->has_any(part.string());
  }
  return false;
}

bool file_watch::know(std::uint64_t process, const found& what) {
  auto known = processes_.find(process);
  auto result = false;
  for (const auto& [watch, name] : what.watches) {
    if (known == processes_.end()) {
      ::inotify_rm_watch(notes_->get(), watch);
      continue;
    }
    result = known->second.watches.insert(watch).second || result;
    owners_[watch] = process;
    names_[watch].insert(name);
  }
  return result;
}

void file_watch::remove(std::uint64_t process) {
  auto known = processes_.find(process);
  if (known == processes_.end())
    return;
  for (auto watch : known->second.watches) {
    ::inotify_rm_watch(notes_->get(), watch);
    owners_.erase(watch);
    names_.erase(watch);
  }
  processes_.erase(known);
}

void file_watch::take(int watch, const char* name, std::uint32_t what, news& into) const {
  auto owner = owners_.find(watch);
  if (owner == owners_.end() || !names_.at(watch).contains(name))
    return;
  // A new directory on the way: changes in it so far were not reported.
  if ((what & IN_ISDIR) != 0)
    into.grown.insert(owner->second);
  else if ((what & IN_CREATE) != 0)
    return;
  into.changed.insert(owner->second);
}

file_watch::news file_watch::take() {
  news result;
  alignas(inotify_event) std::array<char, 16 * 1024> buffer;
  for (;;) {
    const auto count = ::read(notes_->get(), buffer.data(), buffer.size());
    if (count <= 0)
      return result;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      inotify_event head{};
      std::memcpy(&head, buffer.data() + at, sizeof head);
      if ((head.mask & IN_Q_OVERFLOW) != 0) // Events were lost: any file may have changed.
        for (const auto& [process, what] : processes_)
          result.changed.insert(process);
      else if (head.len > 0)
        take(head.wd, buffer.data() + at + sizeof head, head.mask, result);
      at += sizeof head + head.len;
    }
  }
}

} // namespace tune
