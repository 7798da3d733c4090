/// `tune-node plot`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "console/style.hpp"
#include "plot/text_chart.hpp"
#include "view/query.hpp"

#include <iosfwd>

namespace tune::cli {

/// Draws a chart of an experiment: with characters to `out`, or as SVG into a file.
/// @param look The terminal's; sizes that the request names go before it.
/// @errors as `directory_of` and `make_chart`; `ec::unknown_name`: no trial has such a metric;
///         `ec::storage` as `write_file`.
[[nodiscard]] expected<void> plot_experiment(const plot_request& what, text_chart_look look,
                                             std::ostream& out);

/// The request to the read model for a chart.
[[nodiscard]] view_request view_request_for(const plot_request& what,
                                            const std::string& experiment);

} // namespace tune::cli
