/// A field of characters in which dots are set.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/style.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tune::cli {

/// Places are counted in dots from the upper left corner. What lies outside is left out.
class text_canvas {
public:
  /// @param is_unicode Braille, 2 by 4 dots in a character; else ASCII, 1 by 2.
  text_canvas(std::size_t columns, std::size_t lines, bool is_unicode);

  /// In dots.
  [[nodiscard]] std::int64_t width() const;
  [[nodiscard]] std::int64_t height() const;
  /// In each character, one above the other.
  [[nodiscard]] std::int64_t dots_down() const { return is_unicode_ ? 4 : 2; }

  void dot(std::int64_t x, std::int64_t y, tint color);
  /// A straight line, ends included.
  void line(std::int64_t x, std::int64_t y, std::int64_t to_x, std::int64_t to_y, tint color);
  /// A character over all dots of its place.
  void sign(std::int64_t x, std::int64_t y, char what, tint color);

  /// The characters of one line, without blanks at its end.
  [[nodiscard]] std::string text(std::size_t line, const style& colors) const;

private:
  struct cell {
    /// One bit per dot.
    std::uint8_t dots = 0;
    char sign = 0;
    tint color = tint::plain;
  };
  std::size_t columns_;
  bool is_unicode_;
  std::vector<cell> cells_;

  [[nodiscard]] cell* at(std::int64_t x, std::int64_t y);
  [[nodiscard]] std::string character(const cell& x) const;
};

} // namespace tune::cli
