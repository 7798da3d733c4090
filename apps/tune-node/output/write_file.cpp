// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_file.hpp"

#include "console/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

error failed(const fs::path& path) {
  return {ec::storage, printable(path.string()) + ": " + std::strerror(errno)};
}

/// @returns whether all was written; else `errno` says why not.
bool write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(to, text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

/// Writes into what is there already.
expected<void> write_into(const fs::path& path, std::string_view text) {
  const auto to = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (to < 0)
    return failed(path);
  const auto is_written = write_all(to, text);
  const auto result = is_written ? expected<void>{} : expected<void>{failed(path)};
  ::close(to);
  return result;
}

expected<void> replace(const fs::path& path, std::string_view text) {
  auto draft = path.string() + ".XXXXXX";
  const auto to = ::mkostemp(draft.data(), O_CLOEXEC);
  if (to < 0)
    return failed(path);
  // As an ordinary new file.
  const auto mask = ::umask(0);
  ::umask(mask);
  const auto is_whole = ::fchmod(to, 0666 & ~mask) == 0 && write_all(to, text) && ::fsync(to) == 0;
  const auto why = errno;
  const auto is_closed = ::close(to) == 0;
  if (is_whole && is_closed && ::rename(draft.c_str(), path.c_str()) == 0)
    return {};
  if (!is_whole)
    errno = why;
  auto result = failed(path);
  ::unlink(draft.c_str());
  return result;
}

} // namespace

expected<void> write_file(const fs::path& path, std::string_view text) {
  if (path == "-") {
    std::cout << text;
    return {};
  }
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    if (!S_ISDIR(found.st_mode))
      return write_into(path, text);
    errno = EISDIR;
    return failed(path);
  }
  return replace(path, text);
}

} // namespace tune::cli
