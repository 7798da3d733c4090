// SPDX-License-Identifier: BSD-3-Clause
#include "copy_bytes.hpp"

#include <unistd.h>

#include <cerrno>
#include <vector>

namespace tune::files {

namespace fs = std::filesystem;

namespace {

/// Copies with a buffer, from the current positions of both files.
expected<std::uint64_t> copy_by_hand(const store::descriptor& from, const store::descriptor& to,
                                     const fs::path& path) {
  std::vector<char> buffer(256 * 1024);
  for (std::uint64_t copied = 0;;) {
    const auto count = ::read(from.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return store::system_error(path, "read", errno);
    if (count == 0)
      return copied;
    const auto bytes = static_cast<std::size_t>(count);
    if (auto done = store::write_all(to, path, {buffer.data(), bytes}); !done)
      return done.error();
    copied += bytes;
  }
}

} // namespace

expected<std::uint64_t> copy_bytes(const store::descriptor& from, const store::descriptor& to,
                                   const fs::path& path) {
  constexpr std::size_t at_once = std::size_t{1} << 30;
  for (std::uint64_t copied = 0;;) {
    const auto count = ::copy_file_range(from.number(), nullptr, to.number(), nullptr, at_once, 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && (errno == ENOSPC || errno == EIO || errno == EDQUOT))
      return store::system_error(path, "copy", errno);
    // Unsupported for these files or by this kernel, or all is copied.
    if (count <= 0) {
      auto rest = copy_by_hand(from, to, path);
      if (rest)
        *rest += copied;
      return rest;
    }
    copied += static_cast<std::uint64_t>(count);
  }
}

} // namespace tune::files
