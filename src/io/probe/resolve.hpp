/// Resolves host names to addresses, with a deadline.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/probe/probe.hpp"

#include <sys/socket.h>

#include <string>
#include <variant>
#include <vector>

namespace tune {

/// An address with its port, in the form that system calls take.
struct socket_address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

/// The addresses of a name, at least one, in the order in which to try them.
[[nodiscard]] std::variant<std::vector<socket_address>, probe_result>
resolve(const peer_address& whom, probe_deadline until);

/// "10.0.0.2".
[[nodiscard]] std::string to_text(const socket_address& x);

} // namespace tune
