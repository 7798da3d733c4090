/// The door to CAF's network, beside tune/actors/caf.hpp: sources that connect nodes use these
/// names, whatever CAF's version.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"
#include "tune/core/error.hpp"

#include <caf/io/middleman.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace tune {

/// How often a connection shows that it lives, and after which silence it is lost. The same on
/// both sides: with other values a good connection is taken for lost.
inline constexpr std::chrono::seconds heartbeat_interval{2};
inline constexpr std::chrono::seconds connection_timeout{10};

/// Once per process, before the first configuration object that is loaded with the network.
inline void init_network() {
#if TUNE_CAF_1
  caf::io::middleman::init_global_meta_objects();
#endif
}

/// Has a system made of this configuration talk to other nodes. Opens no port.
inline void load_network(caf::actor_system_config& config) {
  config.load<caf::io::middleman>();
  set(config, "middleman.heartbeat-interval", caf::timespan{heartbeat_interval});
  set(config, "middleman.connection-timeout", caf::timespan{connection_timeout});
}

namespace detail {

template <class T>
[[nodiscard]] expected<T> from_caf(caf::actor_system& system, caf::expected<T> what) {
  if (!what)
    return error{ec::refused, render(system, what.error())};
  return std::move(*what);
}

} // namespace detail

/// Opens a port WITHOUT encryption or authentication, where whoever connects reaches `whom`.
/// @param port 0: a free one. @param address To bind to, e.g. "127.0.0.1".
/// @returns the port. @errors `ec::refused`.
template <class Handle>
[[nodiscard]] expected<std::uint16_t> publish_plain(caf::actor_system& system, const Handle& whom,
                                                    std::uint16_t port, const char* address) {
  return detail::from_caf(system, system.middleman().publish(whom, port, address, true));
}

/// Connects to what `publish_plain` published. Blocks, longer than a minute where no answer comes,
/// and with it all that connects or publishes in this system.
/// @errors `ec::refused`.
template <class Handle>
[[nodiscard]] expected<Handle> connect_plain(caf::actor_system& system, const std::string& host,
                                             std::uint16_t port) {
  return detail::from_caf(system, system.middleman().remote_actor<Handle>(host, port));
}

} // namespace tune
