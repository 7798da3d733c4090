/// Reads fields of the read model's answers. Private to the charts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plot/make_chart.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune::cli::answers {

/// A number of the API, also where it is told as a text; NaN: it is none.
[[nodiscard]] double figure_in(const value& x);
/// The list of that name; empty: there is none.
[[nodiscard]] const value::list& list_in(const object& from, std::string_view name);
[[nodiscard]] double figure_at(const object& from, std::string_view name);
/// Empty: there is none, or it is null.
[[nodiscard]] std::string text_at(const object& from, std::string_view name);
[[nodiscard]] bool is_true(const object& from, std::string_view name);
/// A cell of a row; null beyond its end.
[[nodiscard]] const value& cell_of(const value& row, std::size_t i);
[[nodiscard]] std::vector<point> pairs_in(const object& from, std::string_view name);

/// That there is nothing to draw.
[[nodiscard]] inline error nothing(std::string why) {
  return {ec::unreadable, std::move(why)};
}

/// The chart with its axes as wished, and fitted; a few outliers do not stretch the values.
[[nodiscard]] chart fitted(chart x, const chart_wish& wish);

// One function per kind.
[[nodiscard]] expected<chart> history_chart(const chart_wish& wish, const object& from);
[[nodiscard]] expected<chart> curves_chart(const chart_wish& wish, const object& from);
[[nodiscard]] expected<chart> pareto_chart(const chart_wish& wish, const object& from);
[[nodiscard]] expected<chart> importance_chart(const chart_wish& wish, const object& from);
[[nodiscard]] expected<chart> parallel_chart(const object& from);
[[nodiscard]] expected<chart> slice_chart(const chart_wish& wish, const object& from);
[[nodiscard]] expected<chart> rungs_chart(const chart_wish& wish, const object& from);
[[nodiscard]] expected<chart> timeline_chart(const object& from);

} // namespace tune::cli::answers
