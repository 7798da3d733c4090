/// Demands of nodes as people wrote them, for those who bring nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/placement.hpp"

#include <string>
#include <vector>

namespace tune {

struct told_demands {
  /// As `[resources] require`; several are joined by `and`. Empty: any node will do.
  std::string require = {};
  /// Taints that do not matter, as in `[resources] tolerate`. Empty: each of them does.
  std::vector<std::string> tolerate = {};
};

/// @param words Labels of a request; those that are no demands count for nothing.
[[nodiscard]] told_demands told_of(const node_labels& words);

} // namespace tune
