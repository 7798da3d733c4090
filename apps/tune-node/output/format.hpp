/// The forms in which results are written to stdout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/style.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// `--output`.
enum class output_format : std::uint8_t {
  /// For people; shaped to the terminal.
  table,
  /// One JSON array or object.
  json,
  /// One JSON object per line.
  jsonl,
  /// RFC 4180 with a title line, but lines end in a plain line feed.
  csv,
};

/// "table", "json", "jsonl", "csv".
[[nodiscard]] std::string_view to_text(output_format x);
[[nodiscard]] std::optional<output_format> output_format_from(std::string_view name);

/// Appearance of a table; other formats ignore it.
struct table_look {
  /// Width of the terminal in columns. 0 = not fitted.
  std::size_t width = 0;
  style colors;
};

/// One line of CSV, with its line end. Fields are made harmless (`csv::harmless`), and quoted where
/// they must be.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

} // namespace tune::cli
