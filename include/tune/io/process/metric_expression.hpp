/// Regular expressions that read numbers: the placeholder {number} and its neighbours in the
/// expression.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tune {

/// Placeholder for a complete number, fraction and exponent included, in an expression.
inline constexpr std::string_view number_placeholder = "{number}";

/// The element of an expression next to its value.
struct written_beside {
  enum class kind : std::uint8_t {
    /// Nothing, the boundary of the line or of a word, or any character (`.`).
    open,
    /// The character `literal`.
    character,
    /// One of a set: `[a-z]`, `\d`.
    one_of,
    /// A group of the expression: `(?:a|b)`.
    group,
  };
  kind what = kind::open;
  char literal = 0;
  /// True if a quantifier follows: the element may occur several times or not at all.
  bool repeats = false;

  /// Whether the expression demands exactly this character, or one of a set, there.
  [[nodiscard]] bool demands(char x) const {
    return !repeats && ((what == kind::character && literal == x) || what == kind::one_of);
  }
};

/// An expression in the syntax of std::regex.
struct metric_expression {
  std::string text;
  /// The group that holds the value: the first {number}, else group 1. 0: the expression has no
  /// group, and the whole match is the value.
  std::size_t group = 0;
  /// True if the value is a {number}.
  bool is_number = false;
  /// The elements directly before and after that group.
  written_beside before{};
  written_beside behind{};
};

/// Replaces each {number} by a group that matches a complete number: sign, digits, fraction,
/// exponent (`e`, or Fortran's `d`), or inf, infinity and nan in any case. `\{number}` and a
/// {number} in a class of characters are left as they are.
[[nodiscard]] metric_expression expand_expression(std::string_view written);

} // namespace tune
