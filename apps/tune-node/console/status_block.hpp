/// The block of lines that shows a running experiment on a terminal.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "console/style.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tune::cli {

/// Size of a terminal in characters.
struct terminal_size {
  std::size_t columns = 80;
  std::size_t rows = 24;
  friend bool operator==(const terminal_size&, const terminal_size&) = default;
};

/// Size of the terminal behind `descriptor`; if it has none, `COLUMNS` and `LINES`, then 80x24.
[[nodiscard]] terminal_size size_of_terminal(int descriptor);

/// Renders an experiment: name and counts, time and resources, the best trial, then the trials
/// most worth watching (running ones first, then the best of the others).
///
/// @returns lines without line ends, each at most `size.columns` wide; at most half as many as the
///         terminal has rows, but at least three if it has four.
[[nodiscard]] std::vector<std::string> status_block(const run_snapshot& x, terminal_size size,
                                                    const style& look);

} // namespace tune::cli
