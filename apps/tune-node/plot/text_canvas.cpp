// SPDX-License-Identifier: BSD-3-Clause
#include "plot/text_canvas.hpp"

#include <array>
#include <cstdlib>

namespace tune::cli {

namespace {

/// A code point of Braille (U+2800 to U+28FF) in UTF-8.
std::string braille(std::uint8_t dots) {
  return {'\xe2', static_cast<char>(0xA0 + (dots >> 6U)), static_cast<char>(0x80 + (dots & 63U))};
}

} // namespace

text_canvas::text_canvas(std::size_t columns, std::size_t lines, bool is_unicode)
    : columns_{columns}, is_unicode_{is_unicode}, cells_(columns * lines) {}

std::int64_t text_canvas::width() const {
  return static_cast<std::int64_t>(columns_) * (is_unicode_ ? 2 : 1);
}

std::int64_t text_canvas::height() const {
  const auto lines = columns_ == 0 ? 0 : cells_.size() / columns_;
  return static_cast<std::int64_t>(lines) * (is_unicode_ ? 4 : 2);
}

text_canvas::cell* text_canvas::at(std::int64_t x, std::int64_t y) {
  if (x < 0 || y < 0 || x >= width() || y >= height())
    return nullptr;
  const auto column = static_cast<std::size_t>(is_unicode_ ? x / 2 : x);
  const auto line = static_cast<std::size_t>(is_unicode_ ? y / 4 : y / 2);
  return &cells_[line * columns_ + column];
}

void text_canvas::dot(std::int64_t x, std::int64_t y, tint color) {
  // The bits of Braille's dots, by line and column.
  constexpr std::array<std::array<std::uint8_t, 2>, 4> bits{
      {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
  auto* where = at(x, y);
  if (where == nullptr)
    return;
  where->dots |= is_unicode_
                     ? bits[static_cast<std::size_t>(y % 4)][static_cast<std::size_t>(x % 2)]
                     : static_cast<std::uint8_t>(1U << static_cast<unsigned>(y % 2));
  where->color = color;
}

void text_canvas::line(std::int64_t x, std::int64_t y, std::int64_t to_x, std::int64_t to_y,
                       tint color) {
  // Bresenham's; values far outside would take for ever.
  constexpr std::int64_t farthest = 100'000;
  const auto across = std::abs(to_x - x), down = -std::abs(to_y - y);
  if (across > farthest || -down > farthest)
    return;
  const auto step_x = x < to_x ? 1 : -1, step_y = y < to_y ? 1 : -1;
  for (auto error = across + down;;) {
    dot(x, y, color);
    if (x == to_x && y == to_y)
      return;
    const auto twice = 2 * error;
    if (twice >= down) {
      error += down;
      x += step_x;
    }
    if (twice <= across) {
      error += across;
      y += step_y;
    }
  }
}

void text_canvas::sign(std::int64_t x, std::int64_t y, char what, tint color) {
  if (auto* where = at(x, y)) {
    where->sign = what;
    where->color = color;
  }
}

std::string text_canvas::character(const cell& x) const {
  constexpr std::array<char, 4> plain{' ', '\'', '.', ':'};
  if (x.sign != 0)
    return std::string(1, x.sign);
  if (x.dots == 0)
    return " ";
  return is_unicode_ ? braille(x.dots) : std::string(1, plain[x.dots & 3U]);
}

std::string text_canvas::text(std::size_t line, const style& colors) const {
  std::string result, run;
  auto color = tint::plain;
  auto end = columns_;
  auto at_line = [&](std::size_t i) -> const cell& { return cells_[line * columns_ + i]; };
  while (end > 0 && at_line(end - 1).dots == 0 && at_line(end - 1).sign == 0)
    --end;
  for (std::size_t i = 0; i < end; ++i) {
    const auto& x = at_line(i);
    const auto is_blank = x.dots == 0 && x.sign == 0;
    if (!is_blank && x.color != color) {
      result += colors.paint(color, run);
      run.clear();
      color = x.color;
    }
    run += character(x);
  }
  return result + colors.paint(color, run);
}

} // namespace tune::cli
