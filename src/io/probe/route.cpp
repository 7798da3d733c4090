// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/route.hpp"

#include "resolve.hpp"

#include "posix/unique_fd.hpp"

#include <optional>

namespace tune {

namespace {

/// Finds the local address by connecting a datagram socket, which sends nothing.
std::optional<node_route> route_by(const socket_address& where) {
  unique_fd socket{::socket(where.bytes.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (!socket || ::connect(socket.get(), where.get(), where.size) != 0)
    return std::nullopt;
  socket_address own;
  own.size = sizeof own.bytes;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own.bytes), &own.size) != 0)
    return std::nullopt;
  return node_route{to_text(own), to_text(where)};
}

} // namespace

node_route route_to(const peer_address& whom, probe_deadline until) {
  auto found = resolve(whom, until);
  const auto* addresses = std::get_if<std::vector<socket_address>>(&found);
  if (addresses == nullptr)
    return {};
  for (const auto& x : *addresses) {
    if (auto way = route_by(x))
      return std::move(*way);
  }
  return {};
}

} // namespace tune
