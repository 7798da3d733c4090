// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/sinks/trial_files/csv.hpp"

#include "tune/core/printable.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tune::csv {

namespace {

bool is_plain_char(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f;
}

bool is_number(std::string_view text) {
  // Only these begin like a formula and are numbers.
  if (text.size() > 1 && text.front() == '+')
    text.remove_prefix(1);
  double ignored = 0;
  const auto* end = text.data() + text.size();
  return std::from_chars(text.data(), end, ignored).ptr == end;
}

bool may_be_formula(std::string_view text) {
  constexpr std::string_view marks = "=+-@|%\t\r";
  // A single mark is a dash, or the like.
  return text.size() > 1 && marks.find(text.front()) != marks.npos && !is_number(text);
}

void append_quoted(std::string& to, std::string_view text) {
  const bool plain = text.find_first_of(",\"\r\n") == text.npos;
  if (plain) {
    to += text;
    return;
  }
  to += '"';
  for (char c : text) {
    if (c == '"')
      to += '"';
    to += c;
  }
  to += '"';
}

} // namespace

std::string harmless(std::string_view text) {
  printable_parts parts;
  auto result = parts.add(text);
  result += parts.finish();
  if (may_be_formula(result))
    result.insert(0, 1, '\'');
  return result;
}

void append_field(std::string& to, std::string_view text) {
  // Nearly all fields are short numbers and names.
  if (std::all_of(text.begin(), text.end(), is_plain_char) && !may_be_formula(text))
    append_quoted(to, text);
  else
    append_quoted(to, harmless(text));
}

void append_record(std::string& to, const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0)
      to += ',';
    append_field(to, fields[i]);
  }
  to += "\r\n";
}

std::optional<std::vector<std::string>> first_record(std::string_view text) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      // A doubled quote inside quotes closes and reopens them, and stands for one quote.
      if (!quoted && i > 0 && text[i - 1] == '"')
        result.back() += '"';
      quoted = !quoted;
    } else if (quoted) {
      result.back() += c;
    } else if (c == ',') {
      result.emplace_back();
    } else if (c == '\n') {
      return result;
    } else if (c != '\r') {
      result.back() += c;
    }
  }
  return std::nullopt;
}

} // namespace tune::csv
