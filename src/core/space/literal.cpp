// SPDX-License-Identifier: BSD-3-Clause
#include "scanner.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/core/space/domain.hpp"
#include "tune/core/text.hpp"

#include <array>
#include <charconv>

namespace tune {

namespace {

/// Whether a word looks like a number: a digit, after at most a sign and a point. "inf" and "nan"
/// are
/// texts.
bool looks_like_number(std::string_view word) {
  if (!word.empty() && (word[0] == '+' || word[0] == '-'))
    word.remove_prefix(1);
  if (!word.empty() && word[0] == '.')
    word.remove_prefix(1);
  return !word.empty() && is_digit(word[0]);
}

void append_utf8(std::string& to, char32_t c) {
  auto put = [&](char32_t x) { to += static_cast<char>(static_cast<unsigned char>(x)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

bool is_high_surrogate(char32_t c) {
  return c >= 0xD800 && c < 0xDC00;
}

bool is_low_surrogate(char32_t c) {
  return c >= 0xDC00 && c < 0xE000;
}

} // namespace

std::optional<value> meaning_of(std::string_view word) {
  if (word == "true" || word == "false")
    return value{word == "true"};
  if (word == "null")
    return value{};
  if (!looks_like_number(word))
    return value{word};
  if (auto whole = parse_integer(word))
    return value{*whole};
  if (auto real = parse_number(word))
    return value{*real};
  double out_of_range = 0;
  auto digits = word[0] == '+' ? word.substr(1) : word;
  auto [end, why] = std::from_chars(digits.data(), digits.data() + digits.size(), out_of_range);
  if (why == std::errc::result_out_of_range && end == digits.data() + digits.size())
    return std::nullopt;
  return value{word};
}

expected<value> scanner::literal(word_rule rule, int depth) {
  skip_blanks();
  if (peek() == '"') {
    auto text = quoted();
    if (!text)
      return text.error();
    return value{std::move(*text)};
  }
  if (peek() == '[' || peek() == '{') {
    if (depth >= most_depth)
      return wrong_at(position_, "brackets are nested deeper than " + std::to_string(most_depth));
    return peek() == '[' ? list(depth + 1) : dictionary(depth + 1);
  }
  if (peek() == '\'')
    return expected_here("a value (texts stand in double quotes)");
  auto first = position_;
  auto bare = word(rule);
  if (bare.empty())
    return expected_here("a value");
  auto result = meaning_of(bare);
  if (!result)
    return wrong_at(first, "the number does not fit a 64-bit float");
  return std::move(*result);
}

expected<value> scanner::list(int depth) {
  auto opened = position_++;
  value::list result;
  if (take(']'))
    return value{std::move(result)};
  while (true) {
    skip_blanks();
    if (at_end())
      return wrong_at(opened, "'[' is never closed");
    auto item = literal(word_rule::value, depth);
    if (!item)
      return item.error();
    result.push_back(std::move(*item));
    if (take(']'))
      return value{std::move(result)};
    if (at_end())
      return wrong_at(opened, "'[' is never closed");
    if (!take(','))
      return expected_here("',' or ']'");
  }
}

expected<value> scanner::dictionary(int depth) {
  auto opened = position_++;
  object result;
  if (take('}'))
    return value{std::move(result)};
  while (true) {
    skip_blanks();
    if (at_end())
      return wrong_at(opened, "'{' is never closed");
    auto at = position_;
    auto name = key();
    if (!name)
      return name.error();
    if (result.contains(*name))
      return wrong_at(at, "the key \"" + *name + "\" is given twice");
    if (result.size() == most_keys)
      return wrong_at(at, "an object has at most " + std::to_string(most_keys) + " keys");
    auto item = literal(word_rule::value, depth);
    if (!item)
      return item.error();
    result.set(*name, std::move(*item));
    if (take('}'))
      return value{std::move(result)};
    if (at_end())
      return wrong_at(opened, "'{' is never closed");
    if (!take(','))
      return expected_here("',' or '}'");
  }
}

/// Reads a key and the colon after it.
expected<std::string> scanner::key() {
  std::string result;
  if (peek() == '"') {
    auto text = quoted();
    if (!text)
      return text.error();
    result = std::move(*text);
  } else {
    result = word(word_rule::key);
    if (result.empty())
      return expected_here("a key");
  }
  if (!take(':'))
    return expected_here("':'");
  return result;
}

expected<std::string> scanner::quoted() {
  auto opened = position_++;
  std::string result;
  while (!at_end()) {
    auto c = text_[position_++];
    if (c == '"')
      return result;
    if (c != '\\') {
      result += c;
      continue;
    }
    if (auto done = escape(result); !done)
      return done.error();
  }
  return wrong_at(opened, "'\"' is never closed");
}

expected<void> scanner::escape(std::string& to) {
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  auto at = position_ - 1;
  if (at_end())
    return {};
  auto c = text_[position_++];
  if (auto i = names.find(c); i != names.npos) {
    to += meanings[i];
    return {};
  }
  if (c != 'u')
    return wrong_at(at, "unknown escape (write \\\\ for a backslash)");
  auto first = escaped_unit();
  if (!first)
    return first.error();
  auto code = *first;
  if (is_high_surrogate(code) && text_.substr(position_, 2) == "\\u") {
    position_ += 2;
    auto second = escaped_unit();
    if (!second)
      return second.error();
    if (is_low_surrogate(*second))
      code = 0x10000 + ((code - 0xD800) << 10) + (*second - 0xDC00);
  }
  if (is_high_surrogate(code) || is_low_surrogate(code))
    return wrong_at(at, "half of a surrogate pair");
  append_utf8(to, code);
  return {};
}

expected<char32_t> scanner::escaped_unit() {
  auto digits = text_.substr(position_, 4);
  std::uint32_t code = 0;
  auto [end, why] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (why != std::errc{} || digits.size() < 4 || end != digits.data() + 4)
    return wrong_at(position_, "expected four hexadecimal digits after \\u");
  position_ += 4;
  return static_cast<char32_t>(code);
}

namespace {

std::string quote(std::string_view text) {
  constexpr std::string_view names = "\"\\bfnrt";
  constexpr std::string_view meanings = "\"\\\b\f\n\r\t";
  constexpr std::string_view hex = "0123456789abcdef";
  std::string result = "\"";
  for (auto c : text) {
    if (auto i = meanings.find(c); i != meanings.npos) {
      result += '\\';
      result += names[i];
    } else if (auto x = static_cast<unsigned char>(c); x < ' ') {
      result += "\\u00";
      result += hex[x >> 4];
      result += hex[x & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

bool is_plain_word(std::string_view text) {
  for (auto keyword : {"if", "and", "or", "not", "in"}) {
    if (text == keyword)
      return false;
  }
  // Follows the strictest rule of all places where a word may stand; '#' begins a comment.
  constexpr std::string_view special = "=!<>&|:#\\";
  if (text.empty() || text.find_first_of(special) != text.npos)
    return false;
  scanner in{text};
  auto meaning = meaning_of(text);
  return in.word(word_rule::condition).size() == text.size() && meaning && meaning->as_string();
}

std::string number_text(double x) {
  std::array<char, 32> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
  std::string result{buffer.data(), end};
  return result.find_first_of(".en") == result.npos ? result + ".0" : result;
}

std::string joined(const value::list& items) {
  std::string result;
  for (const auto& x : items)
    result += (result.empty() ? "" : ", ") + literal_text(x);
  return result;
}

} // namespace

std::string literal_text(const value& what) {
  if (const auto* text = what.as_string())
    return is_plain_word(*text) ? *text : quote(*text);
  if (const auto* real = what.as_double())
    return number_text(*real);
  if (const auto* items = what.as_list())
    return '[' + joined(*items) + ']';
  if (const auto* entries = what.as_object()) {
    std::string result;
    for (const auto& [name, x] : *entries)
      result += (result.empty() ? "" : ", ") + quote(name) + ": " + literal_text(x);
    return '{' + result + '}';
  }
  return to_text(what);
}

expected<value> parse_literal(std::string_view text) {
  scanner in{text};
  auto result = in.literal(word_rule::value);
  if (!result)
    return result;
  in.skip_blanks();
  if (!in.at_end())
    return in.expected_here("nothing after the value");
  return result;
}

} // namespace tune
