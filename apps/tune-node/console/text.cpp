// SPDX-License-Identifier: BSD-3-Clause
#include "console/text.hpp"

#include <algorithm>
#include <cstdint>
#include <locale.h>
#include <wchar.h>

namespace tune::cli {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::string_view ellipsis = "\xE2\x80\xA6";
constexpr char escape = '\x1b';

/// One code point and the bytes it was read from; `valid` is false for a stray byte.
struct decoded {
  char32_t point = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

std::size_t length_of(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead < 0xE0)
    return 2;
  if (lead >= 0xE0 && lead < 0xF0)
    return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/// Reads the first code point. @param text not empty.
decoded decode(std::string_view text) {
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

/// Controls, line separators, and marks that reorder what stands around them.
bool is_harmful(char32_t x) {
  return x < 0x20 || (x >= 0x7F && x < 0xA0) || (x >= 0x2028 && x <= 0x202E)
         || (x >= 0x2066 && x <= 0x2069) || x == 0x200E || x == 0x200F || x == 0x061C;
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
  std::size_t count = x < 0x100 ? 2 : 4;
  std::string result = x < 0x100 ? "\\x" : "\\u";
  for (auto i = count; i-- > 0;)
    result += digits[(x >> (4 * i)) & 0xF];
  return result;
}

/// `wcwidth` asks the thread's locale; this lends it one that knows Unicode.
class unicode_locale {
public:
  unicode_locale() : before_{uselocale(shared())} {}
  ~unicode_locale() { uselocale(before_); }
  unicode_locale(const unicode_locale&) = delete;
  unicode_locale& operator=(const unicode_locale&) = delete;

private:
  locale_t before_;

  /// Null, which changes nothing, where the system lacks it.
  static locale_t shared() {
    static const locale_t one = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return one;
  }
};

/// Columns of one code point under `unicode_locale`.
std::size_t width_of(char32_t x) {
  auto columns = wcwidth(static_cast<wchar_t>(x));
  return columns < 0 ? 1 : static_cast<std::size_t>(columns);
}

/// Length of the control sequence at the start of `text`, which begins with ESC.
std::size_t sequence_length(std::string_view text) {
  if (text.size() < 2)
    return text.size();
  if (text[1] == '[') {
    auto i = std::find_if(text.begin() + 2, text.end(), [](char c) { return c >= 0x40; });
    return static_cast<std::size_t>(i - text.begin()) + (i == text.end() ? 0 : 1);
  }
  if (text[1] == ']') { // a title or link: up to BEL or ESC backslash
    for (std::size_t i = 2; i < text.size(); ++i) {
      if (text[i] == '\a')
        return i + 1;
      if (text[i] == escape)
        return std::min(text.size(), i + 2);
    }
    return text.size();
  }
  return 2;
}

} // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    auto x = decode(text);
    if (!x.valid)
      result += replacement;
    else if (is_harmful(x.point))
      result += escaped(x.point);
    else
      result += text.substr(0, x.bytes);
    text.remove_prefix(x.bytes);
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  unicode_locale lent;
  std::size_t result = 0;
  while (!text.empty()) {
    if (text[0] == escape) {
      text.remove_prefix(sequence_length(text));
      continue;
    }
    auto x = decode(text);
    result += x.valid ? width_of(x.point) : 1;
    text.remove_prefix(x.bytes);
  }
  return result;
}

std::string cut(std::string_view text, std::size_t width) {
  unicode_locale lent;
  std::size_t columns = 0;
  std::size_t fits = 0; // bytes that leave a column for the ellipsis
  for (std::size_t i = 0; i < text.size();) {
    auto x = decode(text.substr(i));
    columns += x.valid ? width_of(x.point) : 1;
    i += x.bytes;
    if (columns < width)
      fits = i;
    if (columns > width)
      return width == 0 ? std::string{} : std::string{text.substr(0, fits)}.append(ellipsis);
  }
  return std::string{text};
}

std::string pad_right(std::string text, std::size_t width) {
  auto columns = display_width(text);
  return columns < width ? text.append(width - columns, ' ') : text;
}

std::string pad_left(std::string text, std::size_t width) {
  auto columns = display_width(text);
  return columns < width ? text.insert(0, width - columns, ' ') : text;
}

std::string settled_line(std::string_view line) {
  constexpr std::string_view line_ends = "\r\n";
  while (!line.empty() && line_ends.find(line.back()) != line_ends.npos)
    line.remove_suffix(1);
  if (auto last = line.rfind('\r'); last != line.npos)
    line.remove_prefix(last + 1);
  std::string plain;
  while (!line.empty()) {
    if (line[0] == escape) {
      line.remove_prefix(sequence_length(line));
      continue;
    }
    if (line[0] == '\t')
      plain += "    ";
    else
      plain += line[0];
    line.remove_prefix(1);
  }
  return printable(plain);
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> result;
  std::string line;
  while (!text.empty()) {
    auto end = std::min(text.find(' '), text.size());
    auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    bool fits = width == 0 || display_width(line) + 1 + display_width(word) <= width;
    if (!line.empty() && !fits) {
      result.push_back(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string{word};
  }
  if (!line.empty())
    result.push_back(std::move(line));
  return result;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(safe) == text.npos)
    return std::string{text};
  std::string result = "'";
  for (auto c : text)
    result += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return result + "'";
}

} // namespace tune::cli
