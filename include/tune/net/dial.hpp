/// Connects to the node registry of a head; names the cause if that fails.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/net/actors.hpp"
#include "tune/net/transport.hpp"

#include <chrono>
#include <functional>

namespace tune {

/// Tries to reach a node registry. Blocks, for a bounded time.
/// @errors `ec::refused` for causes that waiting does not remove: certificates, or no TLS where it
/// is wanted;
///                 `ec::unreachable` for the rest.
using head_dialer = std::function<expected<node_registry_actor>()>;

/// Probes the address before connecting, since only a probe tells why there is no connection.
/// @param system Must be configured by `load_network` with the same identity, and outlive the
/// dialer.
/// @param patience Limit of the probe and of the connection, each.
[[nodiscard]] head_dialer dial(caf::actor_system& system, peer_address whom, transport how,
                               std::chrono::milliseconds patience = std::chrono::seconds{5});

/// Checks that a port can be opened there by opening and closing it.
/// @errors `ec::refused`, naming the address and the cause.
[[nodiscard]] expected<void> can_listen(const peer_address& where);

/// Opens the head's port for `node_registry`. @param port 0: a free one.
/// @returns the port. @errors `ec::refused`, naming the address.
[[nodiscard]] expected<std::uint16_t> open_port(caf::actor_system& system,
                                                const node_registry_actor& node_registry,
                                                const peer_address& where, const transport& how);

} // namespace tune
