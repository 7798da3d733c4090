/// Whether a value that an expression took from a line is all of a number.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/process/metric_expression.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tune {

/// Where a value stands in its line.
struct value_place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// What is wrong with a reading, or may be.
struct reading_doubt {
  /// What stands beside the value, such as "\"e-05\" follows it".
  std::string what;
  /// What to do about it.
  std::string advice;
  /// The value is certainly another one than the line's, and must not be taken.
  bool is_wrong = false;
};

/// Looks at what stands around a value.
///
/// Certainly wrong is what begins in the middle of a number (the `5` of `0.5`, of `-5`, of `1e-5`),
/// and what ends before the rest of one: digits in groups (`1,234.5`, `1_000`, `1'234`), `0x1f`,
/// a second point (`1.2.3`). In doubt is what an expression of one's own leaves out (exponent,
/// fraction), a decimal comma, a time or date, a thousand (`1.5k`), a part of a word (`epoch10`).
/// What the expression itself demands beside its value is no cause.
/// @returns nothing where the value is no number, or complete.
[[nodiscard]] std::optional<reading_doubt> doubt_of(std::string_view line, value_place value,
                                                    const metric_expression& by);

/// The letters or the percent sign that stand right behind a number: "ms", "%". Nothing where the
/// value is no number, or the expression itself says what follows.
[[nodiscard]] std::optional<std::string_view> unit_of(std::string_view line, value_place value,
                                                      const metric_expression& by);

/// The doubt where units differ from one line to another.
[[nodiscard]] reading_doubt doubt_of_units(std::string_view earlier, std::string_view now);

} // namespace tune
