/// Short functions that declare the options of catalogue entries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/plugin/options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tune::option_makers {

/// An option with any value of its kind.
/// @param fallback Default, as a user would write it; empty: none.
/// @param meaning  Text for people, with the unit.
[[nodiscard]] inline option_spec option(std::string name, option_kind kind, std::string fallback,
                                        std::string meaning) {
  option_spec result;
  result.name = std::move(name);
  result.kind = kind;
  result.fallback = std::move(fallback);
  result.meaning = std::move(meaning);
  return result;
}

/// Restricts an option to numbers from `bound` on.
[[nodiscard]] inline option_spec at_least(double bound, option_spec what) {
  what.least = bound;
  return what;
}

/// Restricts an option to numbers greater than `bound`.
[[nodiscard]] inline option_spec above(double bound, option_spec what) {
  what.least = bound;
  what.open_low = true;
  return what;
}

/// Restricts an option to numbers from `least` to `most`, both included.
[[nodiscard]] inline option_spec within(double least, double most, option_spec what) {
  what.least = least;
  what.most = most;
  return what;
}

/// Restricts an option to the texts of `choices`.
[[nodiscard]] inline option_spec among(std::vector<std::string> choices, option_spec what) {
  what.choices = std::move(choices);
  return what;
}

} // namespace tune::option_makers
