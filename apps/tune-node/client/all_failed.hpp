/// Why none of several addresses would do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <vector>

namespace tune::cli {

/// One error that tells all.
/// @param why   One for each address, which it names. [>= 1]
/// @param first The kind of the result if any of them is of it; otherwise it is that of the first.
[[nodiscard]] inline error all_failed(const std::vector<error>& why, ec first) {
  auto result = why.front();
  for (std::size_t i = 1; i < why.size(); ++i) {
    result.detail += "; " + why[i].detail;
    if (why[i].code == first)
      result.code = first;
  }
  return result;
}

} // namespace tune::cli
