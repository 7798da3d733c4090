// SPDX-License-Identifier: BSD-3-Clause
#include "report/redaction.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace tune::cli {

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
void hide_password(std::string& line, std::size_t at) {
  const auto end = std::min(line.find_first_of("/ \t\"'", at), line.size());
  const auto host = line.rfind('@', end);
  if (host == line.npos || host < at)
    return;
  const auto colon = line.find(':', at);
  if (colon < host)
    line.replace(colon + 1, host - colon - 1, redacted_text);
}

void redact_values(std::vector<named_text>& all) {
  for (auto& x : all)
    x.text = is_secret_name(x.name) ? std::string{redacted_text} : without_secrets(x.text);
}

} // namespace

bool is_secret_name(std::string_view name) {
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

std::string without_secrets(std::string_view line) {
  std::string result{line};
  for (auto at = result.find("://"); at != result.npos; at = result.find("://", at + 3))
    hide_password(result, at + 3);
  for (std::size_t i = 0; i < result.size();) {
    if (!is_name_char(result[i])) {
      ++i;
      continue;
    }
    auto end = i;
    while (end < result.size() && is_name_char(result[end]))
      ++end;
    const auto is_option = result[i] == '-';
    const auto value = is_secret_name(std::string_view{result}.substr(i, end - i))
                           ? begin_of_value(result, end, is_option)
                           : end;
    i = end;
    if (value == end)
      continue;
    result.replace(value, end_of_value(result, value) - value, redacted_text);
    i = value + redacted_text.size();
  }
  return result;
}

spec redacted(spec what) {
  for (auto& x : what.trainable.env)
    x.text = redacted_text;
  what.trainable.command = without_secrets(what.trainable.command);
  redact_values(what.space);
  redact_values(what.search.options);
  redact_values(what.scheduler.options);
  redact_values(what.stop);
  redact_values(what.sinks.lines);
  return what;
}

} // namespace tune::cli
