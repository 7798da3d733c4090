// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/files/laid_files.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>

namespace tune {

namespace {

bool is_gone(const std::filesystem::path& file) {
  struct stat about = {};
  if (::lstat(file.c_str(), &about) != 0)
    return errno == ENOENT || errno == ENOTDIR;
  // Reading a named pipe would block for ever.
  return !S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode);
}

} // namespace

expected<void> look_for(const laid_files& what) {
  std::size_t gone = 0;
  std::filesystem::path first;
  for (const auto& path : what.paths) {
    if (auto file = what.directory / path; is_gone(file) && gone++ == 0)
      first = file;
  }
  if (gone == 0)
    return {};
  const auto more = gone == 1 ? "" : " and " + std::to_string(gone - 1) + " more";
  return error{ec::unreadable, "files that were brought here for the experiment are gone: "
                                   + first.string() + more};
}

} // namespace tune
