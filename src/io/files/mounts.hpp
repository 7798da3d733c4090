/// Mount points as listed by the kernel; no file system is accessed. Private to io.
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

/// Mount points at or below `directory`; empty if /proc does not list them.
/// @param directory absolute and canonical.
[[nodiscard]] std::vector<mount_point> mounts_in(const std::filesystem::path& directory);

/// The id of the mount that an open file is on; empty if /proc does not tell.
[[nodiscard]] std::optional<int> mount_of(int opened);

/// The mounts of local file systems, which always answer. A server that is gone, or a program that
/// serves a file system, may block the caller for ever.
class answering_mounts {
public:
  /// @param home An open file or directory; `O_PATH` suffices. Its mount is accessed whatever its
  ///   kind is.
  explicit answering_mounts(int home);

  /// Opens the target of a path, following symbolic links, with `O_PATH`. Accesses no file system
  /// that may not answer, whatever is mounted on the way meanwhile.
  /// @param from An open directory on such a mount to which a relative path refers; -1 for the
  ///             current directory.
  /// @returns -1 with errno on failure: EXDEV if another mount is on the way or at the end.
  [[nodiscard]] store::descriptor open(const std::filesystem::path& path, int from = -1) const;
  /// Whether an open file is on one of these mounts.
  [[nodiscard]] bool holds(int opened) const;

private:
  std::set<int> ids_;
  bool is_known_ = false;
};

} // namespace tune::files
