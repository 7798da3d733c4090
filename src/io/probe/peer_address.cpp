// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/peer_address.hpp"

#include "tune/core/printable.hpp"

#include <charconv>
#include <string_view>

namespace tune {

std::string to_text(const peer_address& x) {
  auto host = x.host.find(':') == x.host.npos ? x.host : "[" + x.host + "]";
  return host + ":" + std::to_string(x.port);
}

expected<peer_address> peer_address_from(const std::string& text) {
  auto wrong = [&](const std::string& why) {
    return error{ec::bad_syntax, "'" + printable(text) + "' is not HOST:PORT: " + why};
  };
  auto colon = text.rfind(':');
  if (colon == text.npos)
    return wrong("the port is missing");
  peer_address result{text.substr(0, colon), 0};
  auto digits = std::string_view{text}.substr(colon + 1);
  auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), result.port);
  if (digits.empty() || fault != std::errc{} || end != digits.data() + digits.size())
    return wrong("the port is a number from 0 to 65535");
  auto& host = result.host;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != host.npos)
    return wrong("an IPv6 address stands in brackets");
  if (host.empty())
    return wrong("the host is missing");
  if (host.find_first_of(" \t") != host.npos || printable(host) != host)
    return wrong("a host has no blanks and no control characters");
  return result;
}

} // namespace tune
