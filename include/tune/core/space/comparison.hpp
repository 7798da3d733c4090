/// The comparisons that conditions are made of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/condition.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// How a comparison relates a name to the literal on its right.
enum class relation : std::uint8_t { equal, unequal, less, at_most, greater, at_least };

/// "==".
[[nodiscard]] std::string_view to_text(relation x);

/// Whether `a` relates so to `b`: numbers as numbers, texts as texts; values of different kinds are
/// unequal and unordered.
[[nodiscard]] bool compare(const value& a, relation how, const value& b);

/// One comparison of a condition. Of `a in (x, y)` each member is one with `==`, and `a` alone is
/// `a == true`.
struct parameter_comparison {
  std::string name;
  relation how = relation::equal;
  value literal;
};

/// All comparisons in a condition, from left to right, those under `not` too.
[[nodiscard]] std::vector<parameter_comparison> comparisons_of(const condition& x);

} // namespace tune
