/// `tune-node importance DIR`: which parameters mattered.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "output/format.hpp"
#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <iosfwd>
#include <vector>

namespace tune::cli {

/// Carries out `tune-node importance`. Reads only.
/// @errors as `directory_of`; `ec::storage`; `ec::unknown_name` for a metric that is no objective;
///         `ec::bad_option` if fewer than 10 configurations have a result.
[[nodiscard]] expected<void> show_importance(const importance_request& what, output_format format,
                                             const table_look& look, std::ostream& out);

/// The same as rows for programs: `parameter`, `importance`, numbers of the measure,
/// `more_than_chance`, `from`, `to`, `configs`, `best`, `by`. @errors as `show_importance`.
[[nodiscard]] expected<std::vector<object>> importance_rows(const importance_request& what);

} // namespace tune::cli
