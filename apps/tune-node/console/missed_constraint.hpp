/// How a best trial says that it is not what was asked for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"

#include <string_view>

namespace tune::cli {

/// Behind a best trial, as long as none keeps all constraints.
/// @returns " (which misses a constraint)", or where its configuration is judged by several runs
/// " (whose runs miss a constraint)"; nothing if all are kept.
[[nodiscard]] inline std::string_view missed_constraint(const best_row& x,
                                                        const constraint_list& by) {
  if (x.runs)
    return x.runs->violation > 0 ? " (whose runs miss a constraint)" : "";
  return x.metrics && total_violation(by, *x.metrics) > 0 ? " (which misses a constraint)" : "";
}

} // namespace tune::cli
