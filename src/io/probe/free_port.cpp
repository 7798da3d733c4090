// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/free_port.hpp"

#include "posix/unique_fd.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace tune {

namespace {

/// A free port of the address family; empty if the machine does not support it, or no port is left.
std::optional<std::uint16_t> port_of(int family) {
  const unique_fd socket{::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_storage where{};
  where.ss_family = static_cast<sa_family_t>(family);
  auto* address = reinterpret_cast<sockaddr*>(&where);
  socklen_t size = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  if (!socket || ::bind(socket.get(), address, size) != 0
      || ::getsockname(socket.get(), address, &size) != 0)
    return std::nullopt;
  return ntohs(family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&where)->sin6_port
                                  : reinterpret_cast<const sockaddr_in*>(&where)->sin_port);
}

} // namespace

expected<std::uint16_t> free_port() {
  // A port free for IPv6 is free for both families. IPv4 is tried only if there is no IPv6.
  for (auto family : {AF_INET6, AF_INET}) {
    if (auto port = port_of(family))
      return *port;
  }
  return error{ec::shortage, std::string{"no port is free: "} + std::strerror(errno)};
}

} // namespace tune
