// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/host_guard.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tune::http {

namespace {

struct host_parts {
  /// Lower-case; IPv6 addresses with their brackets.
  std::string name;
  /// With its colon; empty: none.
  std::string port;
};

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_address_byte(char c) {
  return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.';
}

bool is_port(std::string_view text) {
  return text.empty()
         || (text.size() >= 2 && text.size() <= 6 && text.front() == ':'
             && std::all_of(text.begin() + 1, text.end(),
                            [](char c) { return c >= '0' && c <= '9'; }));
}

std::optional<host_parts> parts_of(std::string_view text) {
  if (text.empty() || text.size() > 300)
    return std::nullopt;
  std::string low{text};
  std::transform(low.begin(), low.end(), low.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  host_parts result;
  const auto is_six = low.front() == '[';
  const auto close = is_six ? low.find(']') : std::string::npos;
  if (is_six && close == std::string::npos)
    return std::nullopt;
  const auto end = is_six ? close + 1 : std::min(low.find(':'), low.size());
  result.name = low.substr(0, end);
  result.port = low.substr(end);
  const auto inner
      = is_six ? std::string_view{low}.substr(1, close - 1) : std::string_view{result.name};
  const auto fits
      = std::all_of(inner.begin(), inner.end(), is_six ? is_address_byte : is_name_byte);
  if (inner.empty() || !fits || !is_port(result.port))
    return std::nullopt;
  return result;
}

/// 127.0.0.0/8 as four decimal numbers, and nothing that a resolver might be asked for.
bool is_loopback_four(std::string_view name) {
  if (!name.starts_with("127.") || std::count(name.begin(), name.end(), '.') != 3
      || name.size() > 15 || name.back() == '.' || name.find("..") != name.npos)
    return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

bool is_loopback_name(std::string_view name) {
  return name == "localhost" || name == "[::1]" || is_loopback_four(name);
}

/// The host of an origin such as "https://lab:7780"; nothing for anything else, "null" included.
std::optional<std::string_view> host_of_origin(std::string_view origin) {
  for (std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme))
      return origin.substr(scheme.size());
  return std::nullopt;
}

error refused(std::string what) {
  return {ec::refused, std::move(what)};
}

} // namespace

bool is_host_text(std::string_view text) {
  return parts_of(text).has_value();
}

host_guard::host_guard(std::vector<std::string> names) : names_{std::move(names)} {
  for (auto& x : names_)
    if (auto parts = parts_of(x))
      x = parts->name + parts->port;
}

bool host_guard::knows(std::string_view host) const {
  const auto parts = parts_of(host);
  if (!parts)
    return false;
  if (is_loopback_name(parts->name))
    return true;
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& x) {
    return x == parts->name || x == parts->name + parts->port;
  });
}

expected<void> host_guard::check(const header_list& headers, bool changes) const {
  if (headers.count("Host") != 1)
    return refused("a request has exactly one Host");
  const auto host = *headers.only("Host");
  if (!knows(host))
    return refused("this server does not go by that Host; --allow-host NAME adds one");
  if (headers.count("Origin") > 1 || headers.count("Sec-Fetch-Site") > 1)
    return refused("Origin or Sec-Fetch-Site is there twice");
  if (const auto origin = headers.only("Origin")) {
    const auto from = host_of_origin(*origin);
    const auto page = from ? parts_of(*from) : std::nullopt;
    const auto own = parts_of(host);
    const auto is_same = page && page->name == own->name && page->port == own->port;
    if (!is_same)
      return refused("the request comes from a page of another origin");
  }
  const auto site = headers.only("Sec-Fetch-Site");
  if (!changes || !site || *site == "same-origin" || *site == "none")
    return {};
  return refused("the request comes from a page of another site");
}

} // namespace tune::http
