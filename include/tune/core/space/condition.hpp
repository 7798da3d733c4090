/// Conditions on parameters: `a == sgd and (b > 0.5 or c in (x, y)) and not d`.
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

/// A parsed condition over named values. Immutable and cheap to copy.
///
/// The right side of a comparison is always a literal: `a == sgd` compares with the text "sgd". A
/// lone name, `use_dropout`, means `use_dropout == true`.
///
/// Numbers compare as numbers, texts as texts; values of different kinds are unequal and unordered.
/// An absent name leaves its comparison undecided, and so its negation; `and`, `or` and `not` are
/// decided as far as their other parts allow.
/// @source Kleene's strong three-valued logic.
class condition {
public:
  /// @errors `ec::bad_syntax` with the column.
  [[nodiscard]] static expected<condition> parse(std::string_view text);

  /// Whether the condition is decided and true over `where`; dotted names enter nested objects.
  [[nodiscard]] bool holds(const object& where) const;

  /// Decides over values given one by one. @param values One per `names()`, null for absent ones.
  /// @returns empty if absent names leave it undecided.
  [[nodiscard]] std::optional<bool> decide(std::span<const value* const> values) const;

  /// The names it reads, each once, in order of appearance.
  [[nodiscard]] const std::vector<std::string>& names() const;

  /// The condition as a tree, for programs that evaluate it themselves: `{"name": …, "is": "==",
  /// "value": …}`, `{"name": …, "in": […]}`, `{"not": part}`, `{"and": [part, …]}` and `{"or":
  /// [part, …]}`.
  [[nodiscard]] object tree() const;

  /// The text as written, without surrounding blanks.
  [[nodiscard]] const std::string& text() const;

  struct node;

private:
  condition() = default;

  std::shared_ptr<const node> root_;
  std::shared_ptr<const std::vector<std::string>> names_;
  std::string text_;
};

} // namespace tune
