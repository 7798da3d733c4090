/// What constraints and bounds are made of: arithmetic over names, and comparisons of it.
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
  /// How many operands it takes. [1 … most]
  std::size_t least = 1;
  std::size_t most = 1;
  double (*of)(operands) = nullptr;
};

/// The functions, by name.
[[nodiscard]] std::span<const operation> functions();
/// The operator with so many operands: 2, or 1 for a sign. Null where there is none.
[[nodiscard]] const operation* operator_named(std::string_view name, std::size_t count);

/// A part of it, with its parts.
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

/// One per name, null where absent.
using known_values = std::span<const value* const>;

/// A number where it is one; true and false are 1 and 0.
[[nodiscard]] std::optional<double> number_of(const value& x);

/// The value of a sum. Nothing where a name in it is absent, or what cannot be computed.
[[nodiscard]] std::optional<value> evaluated(const formula& x, known_values values);

/// Whether a rule holds. Nothing where absent names leave it undecided.
[[nodiscard]] std::optional<bool> decided(const formula& x, known_values values);

/// Between which numbers a sum stays. See `expression::span`.
[[nodiscard]] std::optional<interval> span_of(const formula& x, const interval_of& known);

} // namespace tune
