/// Rows of results for programs: CSV, JSON and JSON lines of the same objects.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "output/format.hpp"
#include "tune/core/value.hpp"

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace tune::cli {

/// How a JSON array of rows is broken into lines.
enum class json_layout : std::uint8_t {
  /// All in one line.
  one_line,
  /// Each row on a line of its own.
  row_per_line,
};

/// The names of a row's members.
[[nodiscard]] std::vector<std::string> titles_of(const object& row);
/// Writes a title line, and of each row the members of these names, in this order. A null is an
/// empty field.
void write_csv(const std::vector<std::string>& titles, std::span<const object> rows,
               std::ostream& out);

/// Writes an array in JSON, and a line for each row in JSON lines; in CSV what `write_csv` does
/// with the titles of the first row, and nothing if there is none.
/// @param format Not `table`, which has a look of its own.
void write_rows(std::span<const object> rows, output_format format, json_layout layout,
                std::ostream& out);

/// Writes a single row: an object in JSON and JSON lines, two lines in CSV.
/// @param format Not `table`.
void write_row(const object& row, output_format format, std::ostream& out);

} // namespace tune::cli
