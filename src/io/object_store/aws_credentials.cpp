// SPDX-License-Identifier: BSD-3-Clause
#include "object_store/aws_credentials.hpp"

#include "tune/core/printable.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace tune {

namespace {

constexpr std::size_t longest_credentials_file = 1024 * 1024;

std::string_view without_blanks(std::string_view x) {
  constexpr std::string_view blanks = " \t\r";
  const auto from = x.find_first_not_of(blanks);
  return from == x.npos ? std::string_view{}
                        : x.substr(from, x.find_last_not_of(blanks) - from + 1);
}

/// A header's value, which it becomes, has no control characters.
bool is_usable(const aws_credentials& x) {
  const auto is_plain = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
  };
  return !x.id.empty() && !x.secret.empty() && is_plain(x.id) && is_plain(x.secret)
         && is_plain(x.token) && x.id.find(':') == std::string::npos;
}

std::string text_of_file(const std::string& name) {
  std::ifstream in{name, std::ios::binary};
  std::string result(longest_credentials_file, '\0');
  in.read(result.data(), static_cast<std::streamsize>(result.size()));
  result.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return result;
}

} // namespace

std::optional<aws_credentials> credentials_in(std::string_view text, std::string_view profile) {
  aws_credentials result;
  bool is_here = false;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = without_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('[')) {
      is_here = line.ends_with(']') && without_blanks(line.substr(1, line.size() - 2)) == profile;
      continue;
    }
    const auto equals = line.find('=');
    if (!is_here || equals == line.npos || line.starts_with('#') || line.starts_with(';'))
      continue;
    const auto name = without_blanks(line.substr(0, equals));
    const std::string content{without_blanks(line.substr(equals + 1))};
    if (name == "aws_access_key_id")
      result.id = content;
    else if (name == "aws_secret_access_key")
      result.secret = content;
    else if (name == "aws_session_token")
      result.token = content;
  }
  return is_usable(result) ? std::optional{result} : std::nullopt;
}

expected<aws_credentials>
find_credentials(const std::function<std::string(const char*)>& variable) {
  aws_credentials given{variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"),
                        variable("AWS_SESSION_TOKEN")};
  if (is_usable(given))
    return given;
  if (!given.id.empty() || !given.secret.empty())
    return error{ec::refused,
                 "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must both be set, without"
                 " blanks and line ends"};
  auto profile = variable("AWS_PROFILE");
  if (profile.empty())
    profile = "default";
  auto file = variable("AWS_SHARED_CREDENTIALS_FILE");
  if (file.empty())
    file = variable("HOME") + "/.aws/credentials";
  if (auto found = credentials_in(text_of_file(file), profile))
    return *found;
  return error{ec::refused, "there are no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                            " are not set, and "
                                + printable(file) + " has no keys of [" + printable(profile) + "]"};
}

} // namespace tune
