/// Regular expressions that read numbers: the placeholder {number}, and what is written beside it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tune {

/// Stands for a whole number, fraction and exponent included, in an expression.
inline constexpr std::string_view number_placeholder = "{number}";

/// What an expression demands beside its value.
struct written_beside {
  enum class kind : std::uint8_t {
    /// Nothing, the border of the line or of a word, or what may be anything (`.`).
    open,
    /// The character `literal`.
    character,
    /// One of a set: `[a-z]`, `\d`.
    one_of,
    /// Whatever a group of the expression is about: `(?:a|b)`.
    group,
  };
  kind what = kind::open;
  char literal = 0;
  /// A quantifier follows: it may come several times, or not at all.
  bool repeats = false;

  /// Whether just this character was demanded there.
  [[nodiscard]] bool demands(char x) const {
    return !repeats && ((what == kind::character && literal == x) || what == kind::one_of);
  }
};

/// An expression as std::regex takes it.
struct metric_expression {
  std::string text;
  /// The group that is the value: the first {number}, else group 1. 0: the expression has none, and
  /// the whole match is.
  std::size_t group = 0;
  /// The value is a {number}.
  bool is_number = false;
  /// What is written before that group, and behind it.
  written_beside before{};
  written_beside behind{};
};

/// Replaces each {number} by a group that takes all of a number: sign, digits, fraction, exponent
/// (`e`, or Fortran's `d`), or inf, infinity and nan in any case. `\{number}` and one in a class of
/// characters are left as they are.
[[nodiscard]] metric_expression expand_expression(std::string_view written);

} // namespace tune
