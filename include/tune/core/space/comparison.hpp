/// The comparisons that conditions are made of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/condition.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Relation of a name to the literal on its right.
enum class relation : std::uint8_t { equal, unequal, less, at_most, greater, at_least };

/// "==".
[[nodiscard]] std::string_view to_text(relation x);

/// Whether `a` relates to `b` as `how` says: numbers as numbers, texts as texts; values of
/// different kinds are unequal and unordered.
[[nodiscard]] bool compare(const value& a, relation how, const value& b);

/// One comparison of a condition. `a in (x, y)` gives one `==` per member, and a lone `a` means `a
/// == true`.
struct parameter_comparison {
  std::string name;
  relation how = relation::equal;
  value literal;
};

/// All comparisons in a condition, from left to right, including those under `not`.
[[nodiscard]] std::vector<parameter_comparison> comparisons_of(const condition& x);

} // namespace tune
