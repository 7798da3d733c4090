// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/printable.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

std::size_t length_of(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead < 0xE0)
    return 2;
  if (lead >= 0xE0 && lead < 0xF0)
    return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/// Control characters, line separators, marks that reorder the surrounding text, and invisible
/// characters: tags, fillers and annotations.
bool is_harmful(char32_t x) {
  return x < 0x20 || (x >= 0x7F && x < 0xA0) || (x >= 0x2028 && x <= 0x202E)
         || (x >= 0x2060 && x <= 0x206F) || x == 0x200E || x == 0x200F || x == 0x061C || x == 0xFEFF
         || (x >= 0xFFF9 && x <= 0xFFFB) || (x >= 0xE0000 && x <= 0xE007F);
}

/// Whether the text is a code point that is only cut off.
bool is_cut_short(std::string_view text) {
  const auto length = length_of(static_cast<unsigned char>(text[0]));
  return length > text.size() && std::all_of(text.begin() + 1, text.end(), [](char x) {
           return (static_cast<unsigned char>(x) & 0xC0u) == 0x80u;
         });
}

std::string escaped(char32_t x) {
  switch (x) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::size_t count = x < 0x100 ? 2 : x < 0x10000 ? 4 : 8;
  std::string result = x < 0x100 ? "\\x" : x < 0x10000 ? "\\u" : "\\U";
  for (auto i = count; i-- > 0;)
    result += digits[(x >> (4 * i)) & 0xF];
  return result;
}

} // namespace

code_point read_code_point(std::string_view text) {
  auto lead = static_cast<unsigned char>(text[0]);
  auto length = length_of(lead);
  if (length == 1)
    return {lead, 1, true};
  if (length == 0 || text.size() < length)
    return {};
  char32_t point = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0u) != 0x80u)
      return {};
    point = (point << 6) | (next & 0x3Fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < least[length] || point > 0x10FFFF || surrogate)
    return {};
  return {point, length, true};
}

namespace {

/// Appends the next code point of `text`, made printable. @returns its bytes in `text`.
std::size_t add_next(std::string& to, std::string_view text) {
  const auto x = read_code_point(text);
  if (!x.valid)
    to += replacement;
  else if (is_harmful(x.point))
    to += escaped(x.point);
  else
    to += text.substr(0, x.bytes);
  return x.bytes;
}

} // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty())
    text.remove_prefix(add_next(result, text));
  return result;
}

std::string printable_parts::add(std::string_view part) {
  const auto whole = std::exchange(waiting_, {}).append(part);
  std::string_view text{whole};
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    if (text == "\r" || is_cut_short(text)) {
      waiting_ = text;
      break;
    }
    if (text[0] == '\n' || text[0] == '\t' || text.starts_with("\r\n")) {
      result += text[0];
      text.remove_prefix(1);
    } else {
      text.remove_prefix(add_next(result, text));
    }
  }
  return result;
}

std::string printable_parts::finish() {
  return printable(std::exchange(waiting_, {}));
}

} // namespace tune
