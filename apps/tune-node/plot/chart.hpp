/// A chart as a value, for whatever draws it: axes, and marks between them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view/sampling.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// One of the two directions of a chart.
struct chart_axis {
  /// May be text from outside.
  std::string label = {};
  /// What is shown. [low < high, once `fit` was called]
  double low = 0;
  double high = 1;
  /// Drawn by logarithms; only where `low` > 0.
  bool log = false;
  /// Has no values between whole numbers.
  bool whole = false;
  /// Its values are durations. [seconds]
  bool seconds = false;
  /// Names at 0, 1, … in the place of numbers; empty ones are not told. May be texts from outside.
  std::vector<std::string> names = {};
  /// Whether it has neither ticks nor names.
  bool hidden = false;
};

/// What a mark says, which gives it its colour.
enum class chart_ink : std::uint8_t { first, faint, good, cut, bad, second };

/// Marks of one kind and meaning.
struct chart_series {
  enum class form : std::uint8_t {
    /// A line from point to point; interrupted where a value is NaN.
    line,
    /// The same, level up to the next point.
    steps,
    dots,
    crosses,
    /// Each two points are the ends of a thick level line.
    spans,
    /// Upright bars: what ended from outside.
    bars
  };
  form what = form::line;
  chart_ink ink = chart_ink::first;
  std::vector<point> points = {};
  /// What it is, for a legend; empty: not told.
  std::string name = {};
};

/// Two axes, and series, of which the later ones are drawn above the earlier ones.
struct chart {
  std::string title = {};
  chart_axis x = {};
  chart_axis y = {};
  std::vector<chart_series> series = {};
  /// Sentences below it. May hold texts from outside.
  std::vector<std::string> notes = {};
};

/// Where a value lies on an axis. [0 to 1 within its ends; NaN where it has no place]
[[nodiscard]] double place_on(const chart_axis& axis, double x);

/// Lets axes without names hold all finite values of all series; logarithmic ones all positive
/// values. Where there is none, or one value, the axis is given some room.
void fit(chart& x);

/// Limits an axis to the middle of its values, where few of them stretch it: Tukey's fences.
/// @param all Values along it.
void calm(chart_axis& axis, std::vector<double> all);

/// A tick: its value, and its text.
struct chart_tick {
  double at = 0;
  std::string text;
};

/// Round values within an axis, at most `most` or a few more; names where it has some.
[[nodiscard]] std::vector<chart_tick> ticks_of(const chart_axis& axis, std::size_t most);

} // namespace tune::cli
