/// A GATEWAY: the actor that owns an HTTP server.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/http/http_server.hpp"

#include <functional>
#include <memory>

namespace tune {

/// A GATEWAY serves HTTP to people and programs of this machine, or of others by TLS. One per
/// process that was asked for it; spawned and ended by the composition root. It hears nothing from
/// other actors: whatever its server is asked goes by the way of any other client, the record and
/// the control socket.
using gateway_actor = typed_actor<
    // Closes the port and all connections; answers with an empty text once nobody is served any
    // more.
    caf::result<std::string>(drain_atom)>;

/// Spawns the gateway of a server, on a thread of its own.
/// @param closing Called before the server is closed, in the actor's thread: ends whatever feeds
///                its streams.
[[nodiscard]] gateway_actor spawn_gateway(caf::actor_system& system,
                                          std::unique_ptr<http::http_server> server,
                                          std::function<void()> closing = {});

} // namespace tune
