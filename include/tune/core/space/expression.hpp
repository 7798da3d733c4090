/// Numbers that follow from parameters: `2 * {layers} + 1`.
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

/// From `low` to `high`, both included.
struct interval {
  double low = 0;
  double high = 0;
};

/// Where the numbers of a name are, or the lengths of its lists. Nothing where that is not known.
using interval_of = std::function<std::optional<interval>(std::size_t name, bool is_length)>;

/// A parsed sum over parameters in braces. Immutable and cheap to copy.
///
/// It is made of numbers, names in braces, `+ - * / % **`, brackets and the functions of
/// `space_constraint`: the same arithmetic, in which names may stand without braces. `true` and
/// `false` count as 1 and 0.
class expression {
public:
  /// @errors `ec::bad_syntax` with the column; `ec::unknown_name` for a function.
  [[nodiscard]] static expected<expression> parse(std::string_view text);

  /// Its number. Nothing where a name is absent or no number, or where it cannot be computed: a
  /// division by zero, the root of a negative number, what overflows.
  /// @param values One per `names()`, null where absent.
  [[nodiscard]] std::optional<double> number(std::span<const value* const> values) const;

  /// An interval that no number of it leaves; it may be wider than need be, as a name that comes
  /// twice counts as two. Nothing where there may be no end.
  [[nodiscard]] std::optional<interval> span(const interval_of& known) const;

  /// The names it reads, each once, in order of appearance.
  [[nodiscard]] const std::vector<std::string>& names() const { return *names_; }
  /// Those that it reads as numbers, and not for their length alone: indices into `names()`.
  [[nodiscard]] std::vector<std::size_t> numbers_read() const;
  /// As it was written, without surrounding blanks.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// Its parts for those who compute by themselves: a number, `{"name": …}`, `{"len": …}` or
  /// `{"of": "+", "with": […]}`, with an operator or a function's name.
  [[nodiscard]] value tree() const;

private:
  expression() = default;
  friend class expression_reader;

  std::shared_ptr<const formula> root_;
  std::shared_ptr<const std::vector<std::string>> names_;
  std::string text_;
};

} // namespace tune
