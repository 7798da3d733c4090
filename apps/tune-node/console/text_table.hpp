/// Rows and columns of text, fitted to a width.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/style.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tune::cli {

/// A column of a `text_table`.
struct table_column {
  std::string title;
  bool right_aligned = false;
  /// If the width is too small, columns with the greatest `give` are shortened first, and then left
  /// out. 0: never shortened.
  std::uint8_t give = 0;
  /// Whether it is hidden if all of its cells are empty.
  bool only_if_filled = false;
};

/// A table for people. Cells are made printable as they are added.
class text_table {
public:
  explicit text_table(std::vector<table_column> columns);

  /// Adds a row. @param cells one per column; missing ones are empty.
  /// @param row_tint Colour of the whole row.
  void add(std::vector<std::string> cells, tint row_tint = tint::plain);

  /// @param width In columns of the terminal. 0 = as wide as needed.
  /// @returns the title line and one line per row, each at most `width` wide, no blanks at the end.
  [[nodiscard]] std::vector<std::string> lines(std::size_t width, const style& look) const;

  /// Titles of the filled columns that do not fit into `width`.
  [[nodiscard]] std::vector<std::string> left_out(std::size_t width) const;

private:
  struct row {
    std::vector<std::string> cells;
    tint color;
  };
  std::vector<table_column> columns_;
  std::vector<row> rows_;

  /// Width of each column; 0 = left out.
  [[nodiscard]] std::vector<std::size_t> fitted(std::size_t width) const;
  [[nodiscard]] std::vector<std::size_t> natural() const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells,
                                 const std::vector<std::size_t>& widths, std::size_t width) const;
};

} // namespace tune::cli
