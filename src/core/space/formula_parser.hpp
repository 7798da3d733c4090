/// Parser of constraints and bounds, which share one grammar.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formula.hpp"
#include "scanner.hpp"

#include <string>
#include <vector>

namespace tune {

/// Forms in which names may be written.
enum class name_rule {
  /// Both `lr` and `{lr}`.
  plain,
  /// Only `{lr}`.
  in_braces,
};

/// Recursive descent, one function per level of precedence. Reading begins at the scanner's
/// position.
class formula_parser {
public:
  formula_parser(scanner& in, name_rule by) : in_{in}, by_{by} {}

  /// Reads a rule to the end of the text: comparisons, joined by `and`, `or` and `not`.
  [[nodiscard]] expected<formula> rule();
  /// Reads the longest sum that begins here.
  [[nodiscard]] expected<formula> sum() { return sum(0); }

  /// Names that were read, each once, in order of appearance.
  std::vector<std::string> names;

private:
  scanner& in_;
  name_rule by_;

  bool take(std::string_view wanted);
  [[nodiscard]] std::string_view next_name();
  bool take_word(std::string_view wanted);
  expected<formula> chain(formula::sort what, std::string_view word, int depth);
  expected<formula> any(int depth) { return chain(formula::sort::any, "or", depth); }
  expected<formula> negation(int depth);
  expected<formula> comparison(int depth);
  bool continues();
  expected<formula> alone(formula left);
  std::optional<relation> relation_here();
  const operation* operator_here(std::initializer_list<std::string_view> names);
  expected<formula> sum(int depth);
  expected<formula> product(int depth);
  expected<formula> signed_power(int depth);
  expected<formula> atom(int depth);
  expected<formula> word(int depth);
  expected<formula> text();
  expected<formula> number();
  expected<std::string_view> braced_name();
  formula node_of(formula::sort what, std::string_view name);
  expected<formula> call(std::string_view name, std::size_t at, int depth);
  expected<formula> length();
};

} // namespace tune
