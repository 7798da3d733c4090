// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/transport.hpp"

#include "tune/io/certificates/certificate_directory.hpp"

#include <arpa/inet.h>

#include <charconv>
#include <string_view>

namespace tune {

expected<transport> choose_transport(const peer_address& whom,
                                     const std::filesystem::path& certificates,
                                     bool insecure_plaintext) {
  if (insecure_plaintext) {
    if (is_loopback(whom.host))
      return transport{};
    return error{ec::refused, "plain text is refused for " + to_text(whom)
                                  + ": whoever reaches a plain port can end the process; use"
                                    " certificates, or a loopback address"};
  }
  auto identity
      = load_identity(certificates.empty() ? default_certificate_directory() : certificates);
  if (!identity)
    return identity.error();
  return transport{std::move(*identity)};
}

expected<peer_address> peer_address_from(const std::string& text) {
  auto wrong = [&](const std::string& why) {
    return error{ec::bad_syntax, "'" + text + "' is not HOST:PORT: " + why};
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
  return result;
}

bool is_loopback(const std::string& host) {
  in_addr four{};
  in6_addr six{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1)
    return (ntohl(four.s_addr) >> 24) == 127;
  if (::inet_pton(AF_INET6, host.c_str(), &six) == 1)
    return IN6_IS_ADDR_LOOPBACK(&six) != 0;
  return host == "localhost";
}

} // namespace tune
