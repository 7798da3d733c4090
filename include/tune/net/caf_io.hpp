/// The door to CAF's network, beside tune/actors/caf.hpp: sources that connect nodes use these
/// names, whatever CAF's version.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"
#include "tune/core/error.hpp"
#include "tune/core/liveness/liveness_rules.hpp"
#include "tune/net/caf_message_names.hpp"

#include <caf/io/middleman.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace tune {

/// Interval at which a connection shows that it is alive; the same everywhere, since the other side
/// closes a connection that does not.
inline constexpr std::chrono::milliseconds heartbeat_interval{500};

/// Silence after which a connection is given up and made anew: soon enough for its node to come
/// back before it counts as lost.
[[nodiscard]] constexpr std::chrono::nanoseconds
connection_timeout(std::chrono::nanoseconds lost_after) {
  return std::max<std::chrono::nanoseconds>(lost_after * 3 / 5, 3 * heartbeat_interval);
}

/// To be called once per process, before the first configuration object that loads the network.
inline void init_network() {
#if TUNE_CAF_1
  caf::io::middleman::init_global_meta_objects();
#endif
}

/// Has a system made of this configuration talk to other nodes. Opens no port.
/// @param lost_after See `liveness_rules`.
inline void load_network(caf::actor_system_config& config,
                         std::chrono::nanoseconds lost_after = default_lost_after) {
  config.load<caf::io::middleman>();
  set(config, "middleman.heartbeat-interval", caf::timespan{heartbeat_interval});
  set(config, "middleman.connection-timeout", // CAF looks once in each interval.
      caf::timespan{connection_timeout(lost_after) - heartbeat_interval});
}

/// Default limit for making a connection, greetings included.
inline constexpr std::chrono::seconds connect_patience{10};

/// Limits of a port for strangers: connections that have not yet greeted as a node of the cluster.
struct stranger_rules {
  /// Time after which a stranger's connection is closed.
  std::chrono::milliseconds patience = connect_patience;
  /// Strangers at a time. For one more, the oldest connection is closed from the address with the
  /// most strangers. [1, ...)
  std::size_t most = 100;
};

/// Limits of a port for members: connections that have greeted, with a certificate of the CA if
/// there is TLS.
struct member_rules {
  /// Connections at a time. For one more, the newest connection is closed of those with the most
  /// common certificate, from the address with the most of these. [1, ...)
  std::size_t most = 10'000;
  /// A connection with more unread data than this is closed when one more message is sent to it.
  /// Must exceed the largest message. [bytes]
  std::size_t most_unread = std::size_t{65} << 20;
  /// If all members together have more unread data than this, the slowest connection is closed of
  /// those with the certificate that has most unread. [bytes]
  std::size_t most_unread_by_all = std::size_t{1} << 30;

  /// Rules that leave a third of this process's descriptors to other things than connections of
  /// strangers or members.
  [[nodiscard]] static member_rules of_this_process();
};

struct port_rules {
  stranger_rules strangers = {};
  member_rules members = member_rules::of_this_process();

  /// For the single connection of a node to its head: the node may send as much as all its trials.
  [[nodiscard]] static port_rules of_one_who_connects() {
    return {{}, {1, std::size_t{256} << 20, std::size_t{512} << 20}};
  }
};

namespace detail {

/// A remote actor to find: the messages that it must understand, and its address.
struct remote_wish {
  std::set<std::string> interface;
  std::string host;
  std::uint16_t port = 0;
  std::chrono::milliseconds patience;
};

/// A port to be opened.
struct opening {
  caf::strong_actor_ptr whom;
  /// Messages that the actor understands, as CAF sends them in its greeting.
  std::set<std::string> interface;
  /// Messages that peers may send to it.
  wire_words words;
  std::uint16_t port = 0;
  const char* address = nullptr;
  port_rules rules;
};

template <class Handle>
[[nodiscard]] opening opening_for(caf::actor_system& system, const Handle& whom, std::uint16_t port,
                                  const char* address, const port_rules& rules) {
  return {caf::actor_cast<caf::strong_actor_ptr>(whom),
          system.message_types(whom),
          words_of<Handle>(system),
          port,
          address,
          rules};
}

/// Like CAF's `publish` and `openssl::publish`, but with a message filter, and without blocking on
/// strangers: see docs/decisions/0007 and 0014.
[[nodiscard]] caf::expected<std::uint16_t> open_plain_port(caf::actor_system& system,
                                                           const opening& what);
[[nodiscard]] caf::expected<std::uint16_t> open_tls_port(caf::actor_system& system,
                                                         const opening& what);

[[nodiscard]] expected<caf::strong_actor_ptr> find_plain(caf::actor_system& system,
                                                         const remote_wish& whom);

template <class Handle>
[[nodiscard]] expected<Handle> as_handle(expected<caf::strong_actor_ptr> found) {
  if (!found)
    return found.error();
  return caf::actor_cast<Handle>(std::move(*found));
}

template <class T>
[[nodiscard]] expected<T> from_caf(caf::actor_system& system, caf::expected<T> what) {
  if (!what)
    return error{ec::refused, render(system, what.error())};
  return std::move(*what);
}

} // namespace detail

/// Opens a port WITHOUT encryption or authentication: whoever connects reaches `whom`.
/// @param port 0: a free one. @param address To bind to, e.g. "127.0.0.1".
/// @returns the port. @errors `ec::refused`.
template <class Handle>
[[nodiscard]] expected<std::uint16_t> publish_plain(caf::actor_system& system, const Handle& whom,
                                                    std::uint16_t port, const char* address) {
  return detail::from_caf(
      system,
      detail::open_plain_port(system, detail::opening_for(system, whom, port, address, {})));
}

/// Connects to what `publish_plain` published. Blocks for `patience` at most: CAF's own connecting
/// waits without limit for a peer that went silent.
/// @errors `ec::unreachable`; `ec::refused` if another kind of actor is there.
template <class Handle>
[[nodiscard]] expected<Handle>
connect_plain(caf::actor_system& system, const std::string& host, std::uint16_t port,
              std::chrono::milliseconds patience = connect_patience) {
  auto interface = system.message_types(Handle{});
  return detail::as_handle<Handle>(
      detail::find_plain(system, {std::move(interface), host, port, patience}));
}

} // namespace tune
