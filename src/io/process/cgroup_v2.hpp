/// Where control groups of version 2 that limit memory can be made. Private to io.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cgroup_v2 {

/// The group `own` and all above it, the nearest first, as far as the mount shows them.
/// @param mount Where the hierarchy is mounted.
/// @param own   As in /proc/self/cgroup. What cannot be seen below the mount stands for its root.
[[nodiscard]] std::vector<std::string> groups_above(const std::string& mount,
                                                    const std::string& own);

/// The nearest group from `own` upwards whose children can have a memory limit, and to which this
/// process may add a child and bring processes. The kernel allows it no group that has processes of
/// its own, which ours mostly has. The memory controller is turned on for the children where it is
/// off; `leave` turns it off again.
/// @returns nothing where there is no such group.
[[nodiscard]] std::optional<std::string> parent_for_limits(const std::string& mount,
                                                           const std::string& own);

/// Writes into a file of a control group, of either version. @returns whether the kernel took it.
bool put(const std::string& path, std::string_view text);

/// To be called once a child of the group was removed. Turns the memory controller off if this
/// process turned it on and no child that was made for trials is left.
void leave(const std::string& group);

} // namespace tune::cgroup_v2
