// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/transport.hpp"

#include "tune/io/certificates/certificate_directory.hpp"

#include <arpa/inet.h>

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
      = load_own_certificate(certificates.empty() ? default_certificate_directory() : certificates);
  if (!identity)
    return identity.error();
  return transport{std::move(*identity)};
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
