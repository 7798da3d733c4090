/// What is mounted where, as the kernel tells it: no file system is asked. Private to io.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/files/descriptor.hpp"

#include <filesystem>
#include <istream>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tune::files {

struct mount_point {
  int id = 0;
  std::filesystem::path where;
  /// "ext4", "fuse.sshfs", …
  std::string type;
};

/// Reads proc(5) "/proc/PID/mountinfo".
[[nodiscard]] std::vector<mount_point> parse_mounts(std::istream& from);

/// What is mounted at `directory` or below it; empty where /proc does not tell.
/// @param directory absolute and canonical.
[[nodiscard]] std::vector<mount_point> mounts_in(const std::filesystem::path& directory);

/// The id of the mount that an open file lies on; nothing where /proc does not tell.
[[nodiscard]] std::optional<int> mount_of(int opened);

/// The mounts of kinds that always answer, for they depend on this machine alone. A server that is
/// gone, or a program, may keep whoever asks others waiting for ever.
class answering_mounts {
public:
  /// @param home An open file or directory, `O_PATH` will do. Whatever the kind of its mount is,
  ///   what lies there is asked anyway.
  explicit answering_mounts(int home);

  /// Opens what a path leads to, links included, as a place (`O_PATH`). Asks no file system that
  /// may not answer, whatever is mounted on the way meanwhile.
  /// @param from An open directory there, from which a relative path leads on; -1: the present one.
  /// @returns none, and errno, where that fails: EXDEV where another mount is on the way, or there.
  [[nodiscard]] store::descriptor open(const std::filesystem::path& path, int from = -1) const;
  /// Whether an open file lies on one of them.
  [[nodiscard]] bool holds(int opened) const;

private:
  std::set<int> ids_;
  bool is_known_ = false;
};

} // namespace tune::files
