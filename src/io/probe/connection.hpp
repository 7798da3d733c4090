/// A TCP connection whose every step has a deadline.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../process/unique_fd.hpp"

#include "tune/io/probe/probe.hpp"

#include <span>
#include <string>
#include <variant>

namespace tune {

/// A failed step: what it means, and one line without the peer's address.
[[nodiscard]] probe_result failed(const peer_address& whom, probe_outcome what,
                                  const std::string& why);

/// Connects to the first address of `whom` that takes the connection. The socket does not block.
[[nodiscard]] std::variant<unique_fd, probe_result> connect_to(const peer_address& whom,
                                                               probe_deadline until);

/// What came of reading or writing.
enum class transfer : std::uint8_t {
  done,
  /// The peer closed or reset the connection.
  closed,
  timed_out,
};

/// Sends all of `bytes`.
[[nodiscard]] transfer send_all(const unique_fd& to, std::span<const char> bytes,
                                probe_deadline until);

/// Waits for bytes and takes those that are there. @param size out: their number, on success.
[[nodiscard]] transfer receive(const unique_fd& from, std::span<char> into, std::size_t& size,
                               probe_deadline until);

} // namespace tune
