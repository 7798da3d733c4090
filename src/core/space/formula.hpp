/// Syntax tree of constraints and bounds: arithmetic over names, and comparisons of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/comparison.hpp"
#include "tune/core/space/expression.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tune {

using operands = std::span<const double>;

/// An operator or a function of numbers.
struct operation {
  std::string_view name;
  /// Numbers of operands that are allowed. [1 … most]
  std::size_t least = 1;
  std::size_t most = 1;
  double (*of)(operands) = nullptr;
};

/// All functions, by name.
[[nodiscard]] std::span<const operation> functions();
/// The operator with this name and number of operands: 2, or 1 for a sign. Null if there is none.
[[nodiscard]] const operation* operator_named(std::string_view name, std::size_t count);

/// A node of the syntax tree, with its parts.
struct formula {
  enum class sort { all, any, negated, compared, computed, named, literal, length };

  sort what = sort::literal;
  std::vector<formula> parts = {};
  relation how = relation::equal;
  const operation* by = nullptr;
  /// Index of the name.
  std::size_t name = 0;
  value literal = {};
};

/// Values by index of the name; null where absent.
using known_values = std::span<const value* const>;

/// Numeric value, where true and false are 1 and 0; empty if there is none.
[[nodiscard]] std::optional<double> number_of(const value& x);

/// Value of a sum; empty if a name in it is absent or it cannot be computed.
[[nodiscard]] std::optional<value> evaluated(const formula& x, known_values values);

/// Whether a rule holds; empty if absent names leave it undecided.
[[nodiscard]] std::optional<bool> decided(const formula& x, known_values values);

/// Interval in which a sum lies. See `expression::span`.
[[nodiscard]] std::optional<interval> span_of(const formula& x, const interval_of& known);

} // namespace tune
