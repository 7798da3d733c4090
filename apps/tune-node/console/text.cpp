// SPDX-License-Identifier: BSD-3-Clause
#include "console/text.hpp"

#include <algorithm>
#include <cstdint>
#include <locale.h>
#include <wchar.h>

namespace tune::cli {
namespace {

constexpr std::string_view ellipsis = "\xE2\x80\xA6";
constexpr char escape = '\x1b';

/// `wcwidth` uses the thread's locale; this temporarily sets one that knows Unicode.
class unicode_locale {
public:
  unicode_locale() : before_{uselocale(shared())} {}
  ~unicode_locale() { uselocale(before_); }
  unicode_locale(const unicode_locale&) = delete;
  unicode_locale& operator=(const unicode_locale&) = delete;

private:
  locale_t before_;

  /// Null, which changes nothing, if the system lacks it.
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

std::size_t display_width(std::string_view text) {
  unicode_locale lent;
  std::size_t result = 0;
  while (!text.empty()) {
    if (text[0] == escape) {
      text.remove_prefix(sequence_length(text));
      continue;
    }
    auto x = read_code_point(text);
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
    auto x = read_code_point(text.substr(i));
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

} // namespace tune::cli
