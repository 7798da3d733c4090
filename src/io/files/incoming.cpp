// SPDX-License-Identifier: BSD-3-Clause
#include "incoming.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tune::files {

namespace fs = std::filesystem;

namespace {

/// Whether the path still names the open file.
bool is_at(const store::descriptor& file, const fs::path& path) {
  struct stat open = {};
  struct stat named = {};
  return ::fstat(file.number(), &open) == 0 && ::lstat(path.c_str(), &named) == 0
         && open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

constexpr std::string_view name_pattern = "XXXXXX";

/// Whether `mkostemp` could have made this name.
bool is_incoming_name(const std::string& name) {
  return name.size() == name_pattern.size() && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

} // namespace

expected<incoming_file> incoming_file::make(const fs::path& directory) {
  // A concurrent sweep may remove the file between creation and locking; then another one is made.
  for (int tries = 0; tries < 100; ++tries) {
    auto name = (directory / name_pattern).string();
    store::descriptor file{::mkostemp(name.data(), O_CLOEXEC)};
    if (file.number() < 0)
      return store::system_error(directory, "make a file in it", errno);
    // File systems without locks are not swept either.
    const bool swept = ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!swept && is_at(file, name))
      return incoming_file{std::move(file), name};
  }
  return error{ec::storage, directory.string() + ": files vanish as soon as they are made"};
}

incoming_file::~incoming_file() {
  if (!path_.empty())
    ::unlink(path_.c_str());
}

expected<void> incoming_file::rename_to(const fs::path& to, std::uint32_t mode) && {
  if (::fchmod(file_.number(), mode) != 0)
    return store::system_error(path_, "set the mode", errno);
  if (std::rename(path_.c_str(), to.c_str()) != 0)
    return store::system_error(to, "put a file there", errno);
  path_.clear();
  return {};
}

void sweep(const fs::path& directory) {
  std::error_code why;
  for (fs::directory_iterator i{directory, why}; !why && i != fs::end(i); i.increment(why)) {
    if (!is_incoming_name(i->path().filename().string()))
      continue;
    auto file = store::open_file(i->path(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, "open");
    if (file && ::flock(file->number(), LOCK_EX | LOCK_NB) == 0 && is_at(*file, i->path()))
      ::unlink(i->path().c_str());
  }
}

} // namespace tune::files
