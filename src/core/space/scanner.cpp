// SPDX-License-Identifier: BSD-3-Clause
#include "scanner.hpp"

#include "tune/core/text.hpp"

#include <algorithm>

namespace tune {

namespace {

bool ends_word(char c, word_rule rule) {
  constexpr std::string_view always = ",()[]{}\"'";
  constexpr std::string_view in_condition = "=!<>&|";
  if (static_cast<unsigned char>(c) <= ' ' || always.find(c) != always.npos)
    return true;
  return rule == word_rule::key
             ? c == ':'
             : rule == word_rule::condition && in_condition.find(c) != in_condition.npos;
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

/// Front of `rest`, for the text of an error.
std::string found(std::string_view rest) {
  constexpr std::size_t shown = 20;
  if (rest.empty())
    return "the end";
  std::size_t n = 0;
  while (n < std::min(shown, rest.size()) && !ends_word(rest[n], word_rule::value))
    ++n;
  n = std::max<std::size_t>(n, 1);
  while (n < rest.size() && continues_character(rest[n]))
    ++n;
  return '\'' + std::string{rest.substr(0, n)} + '\'';
}

} // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  auto first = text.find_first_not_of(blanks);
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

void scanner::skip_blanks() {
  while (!at_end() && is_blank(text_[position_]))
    ++position_;
}

bool scanner::take(char wanted) {
  skip_blanks();
  if (at_end() || text_[position_] != wanted)
    return false;
  ++position_;
  return true;
}

std::string_view scanner::word(word_rule rule) {
  auto first = position_;
  while (!at_end() && !ends_word(text_[position_], rule))
    ++position_;
  return text_.substr(first, position_ - first);
}

error scanner::expected_here(std::string_view wanted) const {
  return wrong_at(position_,
                  "expected " + std::string{wanted} + ", found " + found(text_.substr(position_)));
}

error scanner::wrong_at(std::size_t position, std::string_view what, ec code) const {
  auto before = text_.substr(0, position);
  auto column = before.size() + 1
                - static_cast<std::size_t>(
                    std::count_if(before.begin(), before.end(), continues_character));
  return {code, "column " + std::to_string(column) + ": " + std::string{what}};
}

} // namespace tune
