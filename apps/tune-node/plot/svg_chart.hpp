/// Writes charts as SVG.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plot/chart.hpp"

#include <string>

namespace tune::cli {

/// In pixels. [200 to 10000 each]
struct svg_size {
  std::size_t width = 900;
  std::size_t height = 480;
};

/// A whole file. It refers to nothing outside, has no script, and suits light and dark pages; all
/// texts are shown as texts.
[[nodiscard]] std::string draw_svg(const chart& what, svg_size size);

} // namespace tune::cli
