// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/secret_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace tune {

namespace {

bool is_upper(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// The words of a name in small letters.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> result;
  auto is_open = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_alnum(name[i])) {
      is_open = false;
      continue;
    }
    const auto is_hump = i > 0 && is_upper(name[i]) && !is_upper(name[i - 1]);
    if (!is_open || is_hump)
      result.emplace_back();
    is_open = true;
    result.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return result;
}

bool is_name_char(char c) {
  return is_alnum(c) || c == '_' || c == '-' || c == '.';
}

/// Where a value that begins at `at` ends: at its closing quote, or before blanks.
std::size_t end_of_value(std::string_view line, std::size_t at) {
  if (at < line.size() && (line[at] == '"' || line[at] == '\'')) {
    const auto close = line.find(line[at], at + 1);
    return close == line.npos ? line.size() : close + 1;
  }
  return std::min(line.find_first_of(" \t,;&", at), line.size());
}

/// Where the value of a name that ends at `end` begins; `end` itself if there is none.
std::size_t begin_of_value(std::string_view line, std::size_t end, bool is_option) {
  auto at = end;
  while (at < line.size() && (line[at] == '"' || line[at] == '\''))
    ++at;
  const auto blank = line.find_first_not_of(" \t", at);
  if (blank == line.npos)
    return end;
  if (line[blank] == '=' || line[blank] == ':') {
    const auto value = line.find_first_not_of(" \t", blank + 1);
    return value == line.npos ? end : value;
  }
  return is_option && blank > at && line[blank] != '-' ? blank : end;
}

/// Hides the password of a URL whose `//` ends at `at`.
void hide_password(std::string& line, std::size_t at, std::string_view shown) {
  const auto end = std::min(line.find_first_of("/ \t\"'", at), line.size());
  const auto host = line.rfind('@', end);
  if (host == line.npos || host < at)
    return;
  const auto colon = line.find(':', at);
  if (colon < host)
    line.replace(colon + 1, host - colon - 1, shown);
}

/// What is written without any mark between its words.
bool holds_a_secret_word(std::string_view text) {
  constexpr std::array<std::string_view, 5> parts{"PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY",
                                                  "APIKEY"};
  constexpr std::array<std::string_view, 3> ends{"TOKEN", "SECRET", "SECRETKEY"};
  std::string name{text};
  for (auto& c : name)
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return std::any_of(ends.begin(), ends.end(), [&](auto end) { return name.ends_with(end); })
         || std::any_of(parts.begin(), parts.end(),
                        [&](auto part) { return name.find(part) != std::string::npos; });
}

} // namespace

bool names_a_secret(std::string_view name) {
  if (holds_a_secret_word(name))
    return true;
  constexpr std::array<std::string_view, 11> alone{
      "secret", "secrets",    "password",    "passwords",     "passwd", "passphrase",
      "token",  "credential", "credentials", "authorization", "apikey"};
  constexpr std::array<std::string_view, 4> before_key{"api", "access", "private", "secret"};
  const auto words = words_of(name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::find(alone.begin(), alone.end(), words[i]) != alone.end())
      return true;
    if (words[i] == "key" && i > 0
        && std::find(before_key.begin(), before_key.end(), words[i - 1]) != before_key.end())
      return true;
  }
  return false;
}

std::string without_secrets(std::string_view line, std::string_view shown) {
  std::string result{line};
  for (auto at = result.find("://"); at != result.npos; at = result.find("://", at + 3))
    hide_password(result, at + 3, shown);
  for (std::size_t i = 0; i < result.size();) {
    if (!is_name_char(result[i])) {
      ++i;
      continue;
    }
    auto end = i;
    while (end < result.size() && is_name_char(result[end]))
      ++end;
    const auto is_option = result[i] == '-';
    const auto value = names_a_secret(std::string_view{result}.substr(i, end - i))
                           ? begin_of_value(result, end, is_option)
                           : end;
    i = end;
    if (value == end)
      continue;
    result.replace(value, end_of_value(result, value) - value, shown);
    i = value + shown.size();
  }
  return result;
}

} // namespace tune
