// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/file_state.hpp"

#include <sys/stat.h>

namespace tune {

file_state state_of_file(const std::filesystem::path& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0)
    return {};
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  return {about.st_dev, about.st_ino, static_cast<std::uint64_t>(about.st_size),
          about.st_mtim.tv_sec * nanoseconds + about.st_mtim.tv_nsec};
}

} // namespace tune
