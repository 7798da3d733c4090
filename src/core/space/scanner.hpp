/// Reads the words, quotes and brackets that values, distributions and conditions are made of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tune {

/// Where a bareword ends, apart from blanks, quotes, brackets and commas.
enum class word_rule { value, key, condition };

/// A text and a position in it. Errors count columns from 1, in characters.
class scanner {
public:
  /// Deepest nesting of brackets.
  static constexpr int most_depth = 64;
  /// Most keys of an object: look-up in `object` is linear.
  static constexpr std::size_t most_keys = 1000;

  explicit scanner(std::string_view text) : text_{text} {}

  void skip_blanks();
  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }
  /// The next character; NUL at the end.
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[position_]; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(position_); }
  /// Skips blanks, then `wanted` if it stands there.
  bool take(char wanted);
  /// Reads the longest bareword that begins here; may be empty.
  std::string_view word(word_rule rule);
  [[nodiscard]] std::size_t position() const { return position_; }
  void go_to(std::size_t position) { position_ = position; }

  /// Reads one literal. @errors `ec::bad_syntax`.
  expected<value> literal(word_rule rule, int depth = 0);
  /// Reads a string in double quotes, with the escapes of JSON. @errors `ec::bad_syntax`.
  expected<std::string> quoted();

  /// An error such as "column 5: expected `wanted`, found "…"".
  [[nodiscard]] error expected_here(std::string_view wanted) const;
  /// An error "column 5: `what`" for any position of the text.
  [[nodiscard]] error wrong_at(std::size_t position, std::string_view what,
                               ec code = ec::bad_syntax) const;

private:
  expected<value> list(int depth);
  expected<value> dictionary(int depth);
  expected<std::string> key();
  expected<char32_t> escaped_unit();
  expected<void> escape(std::string& to);

  std::string_view text_;
  std::size_t position_ = 0;
};

/// The text without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Value of a bareword: a number, true, false, null or a text. Empty if a number does not fit into
/// 64 bits.
[[nodiscard]] std::optional<value> meaning_of(std::string_view word);

/// Renders a literal so that it reads back as the same value.
[[nodiscard]] std::string literal_text(const value& what);

} // namespace tune
