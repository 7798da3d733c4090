/// From an address to a head's node registry, with a named cause where that fails.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/net/actors.hpp"
#include "tune/net/transport.hpp"

#include <chrono>
#include <functional>

namespace tune {

/// Tries for a node registry. Blocks, for a bounded time.
/// @errors `ec::refused` for what waiting does not mend: certificates, no TLS where it is wanted;
///         `ec::unreachable` for the rest.
using head_dialer = std::function<expected<node_registry_actor>()>;

/// Probes the address before it connects, since only a probe tells why there is no connection.
/// @param system Its configuration went through `load_network` with the same identity; outlives
///   the dialer.
/// @param patience For each of probe and connection.
[[nodiscard]] head_dialer dial(caf::actor_system& system, peer_address whom, transport how,
                               std::chrono::milliseconds patience = std::chrono::seconds{5});

/// Tries whether a port can be opened there, and closes it again.
/// @errors `ec::refused`, naming the address and the cause.
[[nodiscard]] expected<void> can_listen(const peer_address& where);

/// Opens the head's port for `node_registry`. @param port 0: a free one.
/// @returns the port. @errors `ec::refused`, naming the address.
[[nodiscard]] expected<std::uint16_t> open_port(caf::actor_system& system,
                                                const node_registry_actor& node_registry,
                                                const peer_address& where, const transport& how);

} // namespace tune
