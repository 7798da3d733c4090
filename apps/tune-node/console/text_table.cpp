// SPDX-License-Identifier: BSD-3-Clause
#include "console/text_table.hpp"

#include "console/text.hpp"

#include <algorithm>

namespace tune::cli {
namespace {

constexpr std::string_view gap = "  ";
/// Least width of a shortened column.
constexpr std::size_t least_width = 8;

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  std::size_t shown = 0;
  for (auto w : widths) {
    sum += w;
    shown += w > 0 ? 1 : 0;
  }
  return shown == 0 ? 0 : sum + gap.size() * (shown - 1);
}

std::string without_trailing_blanks(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

} // namespace

text_table::text_table(std::vector<table_column> columns) : columns_{std::move(columns)} {
  for (auto& x : columns_)
    x.title = printable(x.title);
}

void text_table::add(std::vector<std::string> cells, tint row_tint) {
  cells.resize(columns_.size());
  for (auto& x : cells)
    x = printable(x);
  rows_.push_back({std::move(cells), row_tint});
}

std::vector<std::size_t> text_table::natural() const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = 0;
    for (const auto& x : rows_)
      widest = std::max(widest, display_width(x.cells[i]));
    bool shown = widest > 0 || !columns_[i].only_if_filled;
    auto title = std::max<std::size_t>(1, display_width(columns_[i].title));
    result.push_back(shown ? std::max(widest, title) : 0);
  }
  return result;
}

std::vector<std::size_t> text_table::fitted(std::size_t width) const {
  auto widths = natural();
  std::vector<std::size_t> order; // greatest `give` first, among equals the last column first
  for (auto i = columns_.size(); i-- > 0;)
    if (columns_[i].give > 0)
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [this](auto a, auto b) { return columns_[a].give > columns_[b].give; });
  auto excess = [&] { return width == 0 || total(widths) <= width ? 0 : total(widths) - width; };
  for (auto i : order)
    if (widths[i] > least_width)
      widths[i] -= std::min(excess(), widths[i] - least_width);
  for (auto i : order)
    if (excess() > 0)
      widths[i] = 0;
  for (auto i : order) // columns left out may have freed room for the others
    if (widths[i] > 0 && width > 0)
      widths[i] += std::min(natural()[i] - widths[i], width - std::min(width, total(widths)));
  return widths;
}

std::string text_table::line(const std::vector<std::string>& cells,
                             const std::vector<std::size_t>& widths, std::size_t width) const {
  std::string result;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (widths[i] == 0)
      continue;
    if (!result.empty())
      result += gap;
    auto cell = cut(cells[i], widths[i]);
    result += columns_[i].right_aligned ? pad_left(cell, widths[i]) : pad_right(cell, widths[i]);
  }
  result = without_trailing_blanks(std::move(result));
  return width == 0 ? result : cut(result, width);
}

std::vector<std::string> text_table::lines(std::size_t width, const style& look) const {
  auto widths = fitted(width);
  std::vector<std::string> titles;
  for (const auto& x : columns_)
    titles.push_back(x.title);
  std::vector<std::string> result{look.paint(tint::faint, line(titles, widths, width))};
  for (const auto& x : rows_)
    result.push_back(look.paint(x.color, line(x.cells, widths, width)));
  return result;
}

std::vector<std::string> text_table::left_out(std::size_t width) const {
  auto all = natural();
  auto widths = fitted(width);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (widths[i] == 0 && all[i] > 0)
      result.push_back(columns_[i].title);
  return result;
}

} // namespace tune::cli
