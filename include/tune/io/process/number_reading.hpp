/// Checks whether a value that an expression took from a line is a complete number.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/process/metric_expression.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tune {

/// The position of a value in its line.
struct value_place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A certain or possible error in reading a value.
struct reading_doubt {
  /// The suspicious text beside the value, such as "\"e-05\" follows it".
  std::string what;
  /// Advice for the user.
  std::string advice;
  /// True if the value certainly differs from the number in the line and must not be used.
  bool is_wrong = false;
};

/// Examines the text around a value.
///
/// A value is certainly wrong if it begins in the middle of a number (the `5` of `0.5`, of `-5`, of
/// `1e-5`) or ends before the rest of one: digits in groups (`1,234.5`, `1_000`, `1'234`), `0x1f`,
/// a second point (`1.2.3`). A value is in doubt if a custom expression leaves out an exponent or
/// fraction, or if it is next to a decimal comma, a time or date, a thousands suffix (`1.5k`), or
/// is part of a word (`epoch10`), or if no float can hold it (`1e400`). Text that the expression
/// itself demands beside its value is no cause for doubt.
/// @returns nothing if the value is complete or not a number.
[[nodiscard]] std::optional<reading_doubt> doubt_of(std::string_view line, value_place value,
                                                    const metric_expression& by);

/// The letters or the percent sign directly after a number: "ms", "%". Empty if the value is not a
/// number, or if the expression itself says what follows.
[[nodiscard]] std::optional<std::string_view> unit_of(std::string_view line, value_place value,
                                                      const metric_expression& by);

/// The doubt that arises when the unit differs from one line to another.
[[nodiscard]] reading_doubt doubt_of_units(std::string_view earlier, std::string_view now);

} // namespace tune
