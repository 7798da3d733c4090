// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/access_token.hpp"

#include "tune/io/files/hmac.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tune::http {

namespace {

std::string sum_of(const std::string& token, std::string_view when) {
  return hmac_of(token, "tune-node page " + std::string{when});
}

std::string_view trimmed(std::string_view x) {
  while (!x.empty() && (x.front() == ' ' || x.front() == '\t'))
    x.remove_prefix(1);
  while (!x.empty() && (x.back() == ' ' || x.back() == '\t'))
    x.remove_suffix(1);
  return x;
}

} // namespace

bool is_token(std::string_view text) {
  return text.size() == 2 * token_bytes && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string cookie_for(const std::string& token, std::chrono::seconds now) {
  const auto when = std::to_string(now.count());
  return when + "." + sum_of(token, when);
}

bool is_cookie_for(std::string_view cookie, const std::string& token, std::chrono::seconds now) {
  const auto dot = cookie.find('.');
  if (token.empty() || dot == cookie.npos || dot > 12)
    return false;
  const auto when = cookie.substr(0, dot);
  const auto sum = sum_of(token, when);
  if (sum.empty() || !are_equal_secrets(cookie.substr(dot + 1), sum))
    return false;
  std::int64_t made = 0;
  const auto read = std::from_chars(when.data(), when.data() + when.size(), made);
  const auto age = now.count() - made;
  // Clocks are set back now and then, by a little.
  constexpr std::int64_t slack = 300;
  return read.ec == std::errc{} && age >= -slack
         && age <= std::chrono::seconds{cookie_lifetime}.count();
}

std::optional<std::string> cookie_in(const header_list& headers, std::string_view name) {
  // Browsers send one such header; whoever sends several means to confuse.
  auto rest = headers.only("Cookie").value_or(std::string_view{});
  std::optional<std::string> result;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(';'), rest.size());
    const auto pair = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto equals = pair.find('=');
    if (equals == pair.npos || pair.substr(0, equals) != name)
      continue;
    if (result)
      return std::nullopt;
    result = std::string{pair.substr(equals + 1)};
  }
  return result;
}

std::optional<std::string> bearer_in(const header_list& headers) {
  const auto line = headers.only("Authorization");
  constexpr std::string_view scheme = "bearer ";
  if (!line || line->size() <= scheme.size())
    return std::nullopt;
  const auto given = line->substr(0, scheme.size());
  const auto is_same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  if (!std::equal(given.begin(), given.end(), scheme.begin(), is_same))
    return std::nullopt;
  return std::string{trimmed(line->substr(scheme.size()))};
}

credential credential_of(const header_list& headers, std::string_view cookie,
                         const std::string& token, std::chrono::seconds now) {
  if (headers.count("Authorization") > 0) {
    const auto given = bearer_in(headers);
    return given && !token.empty() && are_equal_secrets(*given, token) ? credential::full
                                                                       : credential::wrong;
  }
  const auto given = cookie_in(headers, cookie);
  if (!given)
    return credential::none;
  if (!is_cookie_for(*given, token, now))
    return credential::wrong;
  return headers.only("X-Tune-Node") == "1" ? credential::full : credential::cookie;
}

bool failed_tries::note(time_point now) {
  if (since_) {
    const std::chrono::duration<double> passed = now - *since_;
    left_ = std::min<double>(burst, left_ + std::max(0.0, passed.count()));
  }
  since_ = now;
  if (left_ < 1)
    return true;
  left_ -= 1;
  return false;
}

} // namespace tune::http
