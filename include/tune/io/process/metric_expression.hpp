/// Regular expressions that read numbers: the placeholder {number}, and the parts of a number that
/// an expression leaves out of its value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tune {

/// Stands for a whole number, fraction and exponent included, in an expression.
inline constexpr std::string_view number_placeholder = "{number}";

/// An expression as std::regex takes it.
struct metric_expression {
  std::string text;
  /// The group that is the value: the first {number}, else group 1. 0: the expression has none, and
  /// the whole match is.
  std::size_t group = 0;
  /// The value is a {number}.
  bool is_number = false;
  /// The last character that is written before that group; 0: none.
  char before = 0;
};

/// Replaces each {number} by a group that takes all of a number: sign, digits, fraction, exponent
/// (`e`, or Fortran's `d`), or inf, infinity and nan in any case. `\{number}` and one in a class of
/// characters are left as they are.
[[nodiscard]] metric_expression expand_expression(std::string_view written);

/// Where a value stands in its line.
struct value_place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Says which part of a number around the value was left out: an exponent or digits behind it, a
/// minus or digits before it.
/// @returns words such as "\"e-05\" follows it"; empty where the value is no number or complete.
[[nodiscard]] std::string left_out(std::string_view line, value_place value,
                                   const metric_expression& by);

} // namespace tune
