/// Short words for the lists of options that catalogue entries have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/plugin/options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tune::option_makers {

/// An option of any value of its kind.
/// @param fallback As it would be written; empty: none.
/// @param meaning  For people, with the unit.
[[nodiscard]] inline option_spec option(std::string name, option_kind kind, std::string fallback,
                                        std::string meaning) {
  option_spec result;
  result.name = std::move(name);
  result.kind = kind;
  result.fallback = std::move(fallback);
  result.meaning = std::move(meaning);
  return result;
}

/// The same option, of numbers from `bound` on.
[[nodiscard]] inline option_spec at_least(double bound, option_spec what) {
  what.least = bound;
  return what;
}

/// The same option, of numbers greater than `bound`.
[[nodiscard]] inline option_spec above(double bound, option_spec what) {
  what.least = bound;
  what.open_low = true;
  return what;
}

/// The same option, of numbers from `least` to `most`, both included.
[[nodiscard]] inline option_spec within(double least, double most, option_spec what) {
  what.least = least;
  what.most = most;
  return what;
}

/// The same option, of these texts alone.
[[nodiscard]] inline option_spec among(std::vector<std::string> choices, option_spec what) {
  what.choices = std::move(choices);
  return what;
}

} // namespace tune::option_makers
