/// `tune-node report`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "report/report_page.hpp"
#include "tune/tuner/choices.hpp"

#include <iosfwd>

namespace tune::cli {

/// All that a report of these directories shows.
/// @errors as `directory_of`; `ec::storage`.
[[nodiscard]] expected<report_parts> report_of(const report_request& what, const choices& all);

/// Writes a report, and its name to `out` unless it goes there itself.
/// @errors as `report_of` and `write_file`.
[[nodiscard]] expected<void> write_report(const report_request& what, const choices& all,
                                          std::ostream& out);

} // namespace tune::cli
