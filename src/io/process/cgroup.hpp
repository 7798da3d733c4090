/// A control group with a memory limit for one trial, if the system allows it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/unique_fd.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tune {

/// Owns the group's directory and removes it in the destructor. Works with the memory controller of
/// version 1, below the group that this process is in, and with version 2, there or below the
/// nearest group above it: see `cgroup_v2::parent_for_limits`.
class cgroup {
public:
  /// @param bytes the memory limit.
  /// @returns nothing if no such group can be created: not delegated, or not allowed.
  [[nodiscard]] static std::optional<cgroup> make(std::string_view name, std::uint64_t bytes);

  /// A name that no other process uses, not even in another PID namespace.
  [[nodiscard]] static std::string own_name(std::string_view what);

  cgroup(cgroup&& other) noexcept;
  cgroup& operator=(cgroup&& other) noexcept;
  ~cgroup();

  /// Descriptor to which a process writes "0" to join.
  [[nodiscard]] int members_fd() const { return members_.get(); }
  /// How many processes of the group were killed by the limit.
  [[nodiscard]] std::uint64_t oom_kills() const;
  /// Sends KILL to all members, including indirect descendants.
  /// @returns whether there were any.
  bool kill_members() const;

private:
  std::string path_;
  bool version_2_ = false;
  unique_fd members_;

  cgroup() = default;
};

/// How many processes in the control group of this process, without the groups below it, the OOM
/// killer has killed: trials with a limit of their own do not count, nor do programs of others. Of
/// the whole system where no group counts them.
[[nodiscard]] std::uint64_t oom_kills_beside_groups();

/// Removes the empty groups of guards that have ended, wherever a guard may make them: a guard that
/// was killed could not do it. Groups with members stay.
void remove_left_groups();

} // namespace tune
