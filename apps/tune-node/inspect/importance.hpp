/// `tune-node importance DIR`: which parameters mattered.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "output/format.hpp"
#include "tune/core/error.hpp"

#include <iosfwd>

namespace tune::cli {

/// Carries out `tune-node importance`. Reads only.
/// @errors as `directory_of`; `ec::storage`; `ec::unknown_name` for a metric that is no objective;
///         `ec::bad_option` if fewer than 10 configurations have a result.
[[nodiscard]] expected<void> show_importance(const importance_request& what, output_format format,
                                             const table_look& look, std::ostream& out);

} // namespace tune::cli
