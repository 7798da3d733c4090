/// Presentation of numbers in texts of schedulers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace tune {

/// The number as a value; a whole one as an integer, so that it is written without a point.
[[nodiscard]] value plain(double x);

/// A number in a sentence: rounded to six digits.
[[nodiscard]] std::string brief(double x);

/// Any value in a sentence; numbers rounded to six digits.
[[nodiscard]] std::string brief(const value& x);

/// Two numbers that a sentence compares: in full if rounding would make them equal.
[[nodiscard]] std::pair<std::string, std::string> told_apart(double one, double other);

/// The metric's own number for a larger-is-better score. 0 stays 0.
[[nodiscard]] inline double as_reported(double score, bool maximise) {
  return maximise ? score : 0.0 - score;
}

/// "iteration 12", "time_total_s 3.5".
[[nodiscard]] std::string moment(std::string_view time_attr, double time);

} // namespace tune
