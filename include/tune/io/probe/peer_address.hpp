/// The address at which a peer listens, and its text form.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <string>

namespace tune {

/// The address at which a peer listens.
struct peer_address {
  /// A name, or an IPv4 or IPv6 address without brackets.
  std::string host;
  std::uint16_t port = 0;

  friend bool operator==(const peer_address&, const peer_address&) = default;
};

/// "w1:4242", "[::1]:4242".
[[nodiscard]] std::string to_text(const peer_address& x);

/// Reads "HOST:PORT" or "[ADDRESS]:PORT". @errors `ec::bad_syntax`, naming what is wrong.
[[nodiscard]] expected<peer_address> peer_address_from(const std::string& text);

} // namespace tune
