// SPDX-License-Identifier: BSD-3-Clause
#include "up/private_directory.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

error private_fault(const std::string& doing, const fs::path& what) {
  return {ec::storage, "cannot " + doing + " " + what.string() + ": " + std::strerror(errno)};
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

bool is_locked_in(const guarded_directory& directory, const std::string& name) {
  auto file = directory.read(name);
  return file && ::flock(file->number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

} // namespace tune::cli
