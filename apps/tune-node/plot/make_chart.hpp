/// Makes charts of what the read model answers, one function per kind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plot/chart.hpp"
#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tune::cli {

enum class chart_kind : std::uint8_t {
  history,
  curves,
  importance,
  parallel,
  slice,
  pareto,
  rungs,
  timeline
};
[[nodiscard]] std::string_view to_text(chart_kind x);

/// What the horizontal axis of a chart of values shows.
enum class chart_across : std::uint8_t { automatic, iteration, time, trial, cost };

/// What a user wants to see of an experiment.
struct chart_wish {
  chart_kind what = chart_kind::history;
  chart_across across = chart_across::automatic;
  bool log_x = false;
  bool log_y = false;
  /// Of `slice`: a parameter; empty: the first.
  std::string parameter = {};
};

/// The part of the read model's API that a kind of chart is drawn from.
[[nodiscard]] std::string_view part_for(chart_kind x);

/// Whether a chart of this kind can have this across. `automatic` always can.
[[nodiscard]] bool can_be_across(chart_kind what, chart_across across);

/// A chart, fitted to its values.
/// @param answer Of `part_for(wish.what)`, with the fields of the API.
/// @errors `ec::unreadable`: there is nothing to draw, and why; `ec::unknown_name`: there is no
///         such parameter.
[[nodiscard]] expected<chart> make_chart(const chart_wish& wish, const object& answer);

} // namespace tune::cli
