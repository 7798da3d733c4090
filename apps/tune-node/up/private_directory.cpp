// SPDX-License-Identifier: BSD-3-Clause
#include "up/private_directory.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

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
  if (::flock(file->number(), LOCK_EX | LOCK_NB) == 0)
    return file;
  if (errno == EWOULDBLOCK)
    return error{ec::refused, held};
  return private_fault("lock", directory.path() / name);
}

} // namespace tune::cli
