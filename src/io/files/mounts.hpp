/// What is mounted where, as the kernel tells it: no file system is asked. Private to io.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
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
  /// @param home Whatever its kind is, what lies on its mount is asked anyway.
  explicit answering_mounts(const std::filesystem::path& home);

  /// Whether nothing on the way to a path, links included, lies on another mount; also where there
  /// is nothing. Asks none that may not answer.
  [[nodiscard]] bool hold(const std::filesystem::path& path) const;
  /// The same of one name in a directory of which that is known.
  [[nodiscard]] bool hold_entry(const std::filesystem::path& path);

private:
  /// Device and number of a link and of the directory that it lies in.
  using link_place = std::array<std::uint64_t, 4>;

  std::set<int> ids_;
  /// Links that were followed: many ways may lead to one.
  std::set<link_place> followed_;
  bool is_known_ = false;

  [[nodiscard]] bool holds(int opened) const;
};

} // namespace tune::files
