// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/target.hpp"

#include "tune/io/json.hpp"

#include <algorithm>
#include <utility>

namespace tune::http {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

expected<std::string> segment_from(std::string_view text) {
  auto result = percent_decoded(text);
  if (!result)
    return result;
  if (result->size() > longest_segment)
    return error{ec::bad_option, "a part of the path is too long"};
  if (*result == "." || *result == "..")
    return error{ec::bad_syntax, "a part of the path is . or .."};
  if (!is_utf8(*result))
    return error{ec::bad_syntax, "the path is not UTF-8"};
  const auto is_bad = [](char c) { return c == '/' || c == '\\' || is_control(c); };
  if (std::any_of(result->begin(), result->end(), is_bad))
    return error{ec::bad_syntax,
                 "a part of the path holds a slash, backslash or control character"};
  return result;
}

expected<std::vector<std::string>> path_from(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const auto end = std::min(text.find('/'), text.size());
    if (end > 0) {
      if (result.size() == most_segments)
        return error{ec::bad_option, "the path has too many parts"};
      auto part = segment_from(text.substr(0, end));
      if (!part)
        return part.error();
      result.push_back(std::move(*part));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// The text of a query, decoded.
expected<std::string> query_text(std::string_view text) {
  std::string blanks{text};
  std::replace(blanks.begin(), blanks.end(), '+', ' ');
  auto result = percent_decoded(blanks);
  if (!result)
    return result;
  if (!is_utf8(*result) || result->find('\0') != std::string::npos)
    return error{ec::bad_syntax, "the query is not UTF-8, or holds a NUL"};
  return result;
}

expected<query_map> query_from(std::string_view text) {
  query_map result;
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const auto pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty())
      continue;
    if (result.size() == most_parameters)
      return error{ec::bad_option, "the query has too many parameters"};
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = query_text(pair.substr(0, equals));
    auto what = query_text(equals < pair.size() ? pair.substr(equals + 1) : std::string_view{});
    if (!name)
      return name.error();
    if (!what)
      return what.error();
    result.emplace(std::move(*name), std::move(*what));
  }
  return result;
}

/// Whether a byte may be in a target as it is sent.
bool is_target_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7f && c != '\\' && c != '#';
}

} // namespace

expected<std::string> percent_decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const auto high = i + 1 < text.size() ? hex_value(text[i + 1]) : -1;
    const auto low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return error{ec::bad_syntax, "a percent sign without two hexadecimal digits"};
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

expected<target> read_target(std::string_view text) {
  if (text.size() > longest_target)
    return error{ec::bad_option, "the target is too long"};
  if (text.empty() || text.front() != '/')
    return error{ec::bad_syntax, "the target does not begin with a slash"};
  if (!std::all_of(text.begin(), text.end(), is_target_byte))
    return error{ec::bad_syntax, "the target holds a byte that must be written as %xx"};
  const auto question = std::min(text.find('?'), text.size());
  auto path = path_from(text.substr(1, question - 1));
  if (!path)
    return path.error();
  auto query = query_from(question < text.size() ? text.substr(question + 1) : std::string_view{});
  if (!query)
    return query.error();
  return target{std::move(*path), std::move(*query)};
}

} // namespace tune::http
