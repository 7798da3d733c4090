/// Numbers computed from parameters: `2 * {layers} + 1`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

struct formula;

/// An interval from `low` to `high`, both included.
struct interval {
  double low = 0;
  double high = 0;
};

/// Returns the interval of the numbers of a name, or of the lengths of its lists. Empty if unknown.
using interval_of = std::function<std::optional<interval>(std::size_t name, bool is_length)>;

/// A parsed arithmetic expression over parameters in braces. Immutable and cheap to copy.
///
/// Consists of numbers, names in braces, `+ - * / % **`, brackets and the functions of
/// `space_constraint`: the arithmetic is the same, but there names may also stand without braces.
/// `true` and `false` count as 1 and 0.
class expression {
public:
  /// @errors `ec::bad_syntax` with the column; `ec::unknown_name` for a function.
  [[nodiscard]] static expected<expression> parse(std::string_view text);

  /// The value. Empty if a name is absent or no number, or if the value cannot be computed: a
  /// division by zero, the root of a negative number, an overflow.
  /// @param values One per `names()`, null for absent ones.
  [[nodiscard]] std::optional<double> number(std::span<const value* const> values) const;

  /// An interval that contains all possible values; may be wider than necessary, since a name that
  /// occurs twice counts as two. Empty if the values may be unbounded.
  [[nodiscard]] std::optional<interval> span(const interval_of& known) const;

  /// The names it reads, each once, in order of appearance.
  [[nodiscard]] const std::vector<std::string>& names() const { return *names_; }
  /// Names that it reads as numbers, and not only for their length: indices into `names()`.
  [[nodiscard]] std::vector<std::size_t> numbers_read() const;
  /// The text as written, without surrounding blanks.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// The expression as a tree, for programs that evaluate it themselves: a number, `{"name": …}`,
  /// `{"len": …}` or `{"of": "+", "with": […]}`, with an operator or a function's name.
  [[nodiscard]] value tree() const;

private:
  expression() = default;
  friend class expression_reader;

  std::shared_ptr<const formula> root_;
  std::shared_ptr<const std::vector<std::string>> names_;
  std::string text_;
};

} // namespace tune
