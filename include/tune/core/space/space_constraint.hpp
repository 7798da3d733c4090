/// A constraint on configurations: `lr * batch < 10 and layers <= 2 * depth`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

struct formula;

/// A parsed rule over parameters. Immutable and cheap to copy.
///
/// Comparisons (`<`, `<=`, `>`, `>=`, `==`, `!=`) of arithmetic expressions of numbers, names,
/// which may stand in braces, `+ - * / % **`, brackets and the functions abs, ceil, exp, floor,
/// log, log2, log10, max, min, round, sqrt and len (of a list), joined by `and`, `or` and `not`.
/// Texts stand in quotes, and are only equal or unequal: `kernel != "rbf"`. A lone name,
/// `use_dropout`, means `use_dropout == true`; true and false count as 1 and 0.
///
/// An operand without value (an absent name, a division by zero, the logarithm of a negative
/// number) leaves its comparison undecided; `and`, `or` and `not` are decided as far as their other
/// parts allow.
class space_constraint {
public:
  /// @errors `ec::bad_syntax` with the column.
  [[nodiscard]] static expected<space_constraint> parse(std::string_view text);

  /// Whether the rule is kept. An undecided rule counts as kept.
  /// @param values One per `names()`, null for absent ones.
  [[nodiscard]] bool allows(std::span<const value* const> values) const;

  /// The names it reads, each once, in order of appearance.
  [[nodiscard]] const std::vector<std::string>& names() const { return *names_; }
  /// The text as written, without surrounding blanks.
  [[nodiscard]] const std::string& text() const { return text_; }

private:
  space_constraint() = default;

  std::shared_ptr<const formula> root_;
  std::shared_ptr<const std::vector<std::string>> names_;
  std::string text_;
};

} // namespace tune
