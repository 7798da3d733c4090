// SPDX-License-Identifier: BSD-3-Clause
#include "plot/answers.hpp"

#include "view/fields.hpp"

#include <cmath>

namespace tune::cli::answers {

namespace {

std::vector<double> heights_of(const chart& x) {
  std::vector<double> result;
  for (const auto& series : x.series) {
    for (const auto& each : series.points)
      result.push_back(each.second);
  }
  return result;
}

} // namespace

double figure_in(const value& x) {
  if (auto number = x.number())
    return *number;
  const auto* text = x.as_string();
  if (text == nullptr)
    return no_number;
  return *text == "inf" ? HUGE_VAL : *text == "-inf" ? -HUGE_VAL : no_number;
}

const value::list& list_in(const object& from, std::string_view name) {
  static const value::list none;
  const auto* found = from.find(name);
  const auto* all = found == nullptr ? nullptr : found->as_list();
  return all == nullptr ? none : *all;
}

double figure_at(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found == nullptr ? no_number : figure_in(*found);
}

std::string text_at(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found == nullptr || found->is_null() ? std::string{} : to_text(*found);
}

const value& cell_of(const value& row, std::size_t i) {
  static const value none;
  const auto* all = row.as_list();
  return all == nullptr || i >= all->size() ? none : (*all)[i];
}

std::vector<point> pairs_in(const object& from, std::string_view name) {
  std::vector<point> result;
  for (const auto& x : list_in(from, name))
    result.emplace_back(figure_in(cell_of(x, 0)), figure_in(cell_of(x, 1)));
  return result;
}

bool is_true(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found != nullptr && *found == value{true};
}

chart fitted(chart x, const chart_wish& wish) {
  x.x.log = wish.log_x;
  x.y.log = wish.log_y;
  fit(x);
  if (x.y.names.empty())
    calm(x.y, heights_of(x));
  return x;
}

} // namespace tune::cli::answers
