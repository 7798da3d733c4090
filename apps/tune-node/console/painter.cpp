// SPDX-License-Identifier: BSD-3-Clause
#include "console/painter.hpp"

#include "console/text.hpp"

#include <algorithm>

namespace tune::cli {
namespace {

constexpr std::string_view clear_below = "\x1b[J";
constexpr std::string_view clear_to_line_end = "\x1b[K";

std::string as_frame(const std::vector<std::string>& lines) {
  std::string result;
  for (const auto& x : lines)
    result.append(x).append(clear_to_line_end).append("\n");
  return result;
}

} // namespace

painter::painter(write_function write, size_function size)
    : write_{std::move(write)}, size_{std::move(size)} {}

painter::~painter() {
  finish();
}

std::string painter::home(terminal_size size) const {
  std::size_t rows = 0;
  for (const auto& x : shown_) { // a narrowed terminal has wrapped the longer ones
    auto columns = std::max<std::size_t>(size.columns, 1);
    rows += std::max<std::size_t>(1, (display_width(x) + columns - 1) / columns);
  }
  rows = std::min(rows, size.rows); // lines that scrolled out are out of reach
  return rows == 0 ? "\r" : "\r\x1b[" + std::to_string(rows) + "A";
}

std::optional<instant> painter::draw(const render_function& render, instant now) {
  if (last_frame_ && now < *last_frame_ + frame_time)
    return *last_frame_ + frame_time;
  auto size = size_();
  auto lines = render(size);
  if (last_frame_ && lines == shown_ && size == shown_at_)
    return std::nullopt;
  auto frame = home(size);
  if (!shown_.empty() && size != shown_at_) // rests of wrapped lines would stay
    frame += clear_below;
  frame += as_frame(lines);
  frame += clear_below;
  write_(frame);
  shown_ = std::move(lines);
  shown_at_ = size;
  last_frame_ = now;
  return std::nullopt;
}

void painter::print_above(std::string_view text) {
  std::string frame = shown_.empty() ? std::string{} : home(size_());
  if (!shown_.empty())
    frame += clear_below;
  frame += text;
  if (!text.ends_with('\n'))
    frame += '\n';
  write_(frame + as_frame(shown_));
}

void painter::finish() {
  if (shown_.empty())
    return;
  write_(home(size_()).append(clear_below));
  shown_.clear();
  last_frame_.reset();
}

} // namespace tune::cli
