/// TCP connections with a deadline for every step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "posix/unique_fd.hpp"

#include "tune/io/probe/probe.hpp"

#include <span>
#include <string>
#include <variant>

namespace tune {

/// The result of a failed step. @param why One line without the peer's address.
[[nodiscard]] probe_result failed(const peer_address& whom, probe_outcome what,
                                  const std::string& why);

/// Connects to the first address of `whom` that accepts the connection. The socket is non-blocking.
[[nodiscard]] std::variant<unique_fd, probe_result> connect_to(const peer_address& whom,
                                                               probe_deadline until);

/// Result of a read or write.
enum class transfer : std::uint8_t {
  done,
  /// The peer closed or reset the connection.
  closed,
  timed_out,
};

/// Sends all of `bytes`.
[[nodiscard]] transfer send_all(const unique_fd& to, std::span<const char> bytes,
                                probe_deadline until);

/// Waits for bytes and reads those available. @param size out: their number, on success.
[[nodiscard]] transfer receive(const unique_fd& from, std::span<char> into, std::size_t& size,
                               probe_deadline until);

} // namespace tune
