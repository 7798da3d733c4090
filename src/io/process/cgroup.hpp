/// A control group with a memory limit for one trial, where the system lets us make one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tune {

/// Owns the group's directory; removes it at the end of its life. Works with the memory controller
/// of version 1, below the group that this process is in, and with version 2, there or below the
/// nearest group above: see `cgroup_v2::parent_for_limits`.
class cgroup {
public:
  /// @param bytes the limit of memory.
  /// @returns nothing where no such group can be made: not delegated, or not allowed.
  [[nodiscard]] static std::optional<cgroup> make(std::string_view name, std::uint64_t bytes);

  /// A name that no other process has, in whatever PID namespace.
  [[nodiscard]] static std::string own_name(std::string_view what);

  cgroup(cgroup&& other) noexcept;
  cgroup& operator=(cgroup&& other) noexcept;
  ~cgroup();

  /// Where a process writes "0" to join.
  [[nodiscard]] int members_fd() const { return members_.get(); }
  /// How many of its processes the limit has killed.
  [[nodiscard]] std::uint64_t oom_kills() const;
  /// Sends KILL to all members, twice removed descendants included.
  /// @returns whether there was any.
  bool kill_members() const;

private:
  std::string path_;
  bool version_2_ = false;
  unique_fd members_;

  cgroup() = default;
};

/// Removes the empty groups of guards that are no more, wherever they may have made some: one that
/// was killed could not do it. Groups with members stay.
void remove_left_groups();

} // namespace tune
