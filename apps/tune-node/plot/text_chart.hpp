/// Draws charts with characters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/style.hpp"
#include "plot/chart.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tune::cli {

/// How a terminal shows charts.
struct text_chart_look {
  /// Size of all of it. [columns >= 20, lines >= 6; less counts as that]
  std::size_t columns = 80;
  std::size_t lines = 20;
  /// Dots of Braille (2 by 4 in a character) and lines of boxes; else ASCII alone.
  bool is_unicode = true;
  style colors = {};
};

/// The lines of a chart, without line ends, none wider than it may be. Texts from outside are
/// printable. Notes stand below it, and are not counted among its lines.
[[nodiscard]] std::vector<std::string> draw_text(const chart& what, const text_chart_look& look);

/// Whether the user's locale shows UTF-8.
[[nodiscard]] bool locale_is_unicode();

} // namespace tune::cli
