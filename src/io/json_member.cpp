// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/json_member.hpp"

#include <charconv>
#include <limits>
#include <string>

namespace tune {

namespace {

constexpr auto npos = std::string_view::npos;

std::size_t after_space(std::string_view text, std::size_t at) {
  while (at < text.size()
         && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r'))
    ++at;
  return at;
}

/// The place after a string that begins at `at`, or `npos`.
std::size_t after_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"')
      return at + 1;
    if (text[at] == '\\')
      ++at;
  }
  return npos;
}

/// The place after an object or a list that begins at `at`, or `npos`.
std::size_t after_nested(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = after_string(text, at);
      if (at == npos)
        return npos;
      continue;
    }
    depth += c == '{' || c == '[' ? 1 : 0;
    ++at;
    if ((c == '}' || c == ']') && --depth == 0)
      return at;
  }
  return npos;
}

/// The place after the value that begins at `at`, or `npos`.
std::size_t after_value(std::string_view text, std::size_t at) {
  if (at >= text.size())
    return npos;
  if (text[at] == '"')
    return after_string(text, at);
  if (text[at] == '{' || text[at] == '[')
    return after_nested(text, at);
  const auto end = text.find_first_of(",}] \t\n\r", at);
  return end == at ? npos : end;
}

/// Whether a string, with its quotes, says `name`.
bool says(std::string_view quoted, std::string_view name) {
  const auto inner = quoted.substr(1, quoted.size() - 2);
  if (inner.find('\\') == npos)
    return inner == name;
  auto read = from_json(quoted);
  return read && read->as_string() != nullptr && *read->as_string() == name;
}

/// The member of this very name.
std::optional<std::string_view> own_member(std::string_view text, std::string_view name) {
  auto at = after_space(text, 0);
  if (at >= text.size() || text[at] != '{')
    return std::nullopt;
  for (++at;;) {
    at = after_space(text, at);
    if (at >= text.size() || text[at] != '"')
      return std::nullopt;
    const auto name_end = after_string(text, at);
    if (name_end == npos)
      return std::nullopt;
    const auto is_it = says(text.substr(at, name_end - at), name);
    at = after_space(text, name_end);
    if (at >= text.size() || text[at] != ':')
      return std::nullopt;
    at = after_space(text, at + 1);
    const auto end = after_value(text, at);
    if (end == npos)
      return std::nullopt;
    if (is_it)
      return text.substr(at, end - at);
    at = after_space(text, end);
    if (at >= text.size() || text[at] != ',')
      return std::nullopt;
    ++at;
  }
}

} // namespace

std::optional<std::string_view> json_member(std::string_view text, std::string_view path,
                                            char separator) {
  if (auto whole = own_member(text, path))
    return whole;
  for (auto cut = path.find(separator); cut != npos; cut = path.find(separator, cut + 1)) {
    auto head = own_member(text, path.substr(0, cut));
    if (!head || !head->starts_with('{'))
      continue;
    if (auto found = json_member(*head, path.substr(cut + 1), separator))
      return found;
  }
  return std::nullopt;
}

std::optional<double> json_number(std::string_view text, json_position where) {
  if (text == "true" || text == "false")
    return text == "true" ? 1.0 : 0.0;
  if (where == json_position::metric) {
    if (text == "\"nan\"")
      return std::numeric_limits<double>::quiet_NaN();
    if (text == "\"inf\"" || text == "\"-inf\"")
      return (text[1] == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
  }
  // Other words that the library takes for numbers, such as a bare nan, are none of JSON.
  if (text.empty() || (text.front() != '-' && (text.front() < '0' || text.front() > '9')))
    return std::nullopt;
  if (text.front() == '-' && (text.size() < 2 || text[1] < '0' || text[1] > '9'))
    return std::nullopt;
  double result = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (end != text.data() + text.size() || status != std::errc{})
    return std::nullopt;
  return result;
}

} // namespace tune
