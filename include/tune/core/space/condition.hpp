/// Conditions on parameters: `a == sgd and (b > 0.5 or c in (x, y)) and not d`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// A parsed condition over named values. Immutable and cheap to copy.
class condition {
public:
  /// @errors `ec::bad_syntax` with the column.
  [[nodiscard]] static expected<condition> parse(std::string_view text);

  /// Evaluates over `where`. A name that is absent makes the comparison it stands in false.
  /// Numbers compare as numbers, texts as texts; values of different kinds are unequal and
  /// unordered.
  [[nodiscard]] bool holds(const object& where) const;

  /// The names it reads, each once, in order of appearance.
  [[nodiscard]] const std::vector<std::string>& names() const;

  /// As it was written.
  [[nodiscard]] const std::string& text() const;

  struct node;

private:
  std::shared_ptr<const node> root_;
  std::shared_ptr<const std::vector<std::string>> names_;
  std::string text_;
};

} // namespace tune
