/// The door to CAF's network, beside tune/actors/caf.hpp: sources that connect nodes use these
/// names, whatever CAF's version.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"
#include "tune/core/error.hpp"
#include "tune/net/caf_message_names.hpp"

#include <caf/io/middleman.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace tune {

/// How often a connection shows that it lives; the same everywhere, since the other side hangs up
/// on one that does not.
inline constexpr std::chrono::milliseconds heartbeat_interval{500};

/// After which silence a connection is given up, and made anew: soon enough that its node can come
/// back before it is lost.
[[nodiscard]] constexpr std::chrono::nanoseconds
connection_timeout(std::chrono::nanoseconds lost_after) {
  return std::max<std::chrono::nanoseconds>(lost_after * 3 / 5, 3 * heartbeat_interval);
}

/// Once per process, before the first configuration object that is loaded with the network.
inline void init_network() {
#if TUNE_CAF_1
  caf::io::middleman::init_global_meta_objects();
#endif
}

/// Has a system made of this configuration talk to other nodes. Opens no port.
/// @param lost_after See `liveness_rules`.
inline void load_network(caf::actor_system_config& config,
                         std::chrono::nanoseconds lost_after = std::chrono::seconds{10}) {
  config.load<caf::io::middleman>();
  set(config, "middleman.heartbeat-interval", caf::timespan{heartbeat_interval});
  set(config, "middleman.connection-timeout", // CAF looks once in each interval.
      caf::timespan{connection_timeout(lost_after) - heartbeat_interval});
}

/// How long a connection may take to make, greetings included, where nothing else is said.
inline constexpr std::chrono::seconds connect_patience{10};

/// What a port bears of those who connect and have not greeted as a node of the cluster yet.
struct stranger_rules {
  /// Until they are hung up on.
  std::chrono::milliseconds patience = connect_patience;
  /// At a time. When one more comes, the oldest is hung up on of those from the address that most
  /// come from. [1, ...)
  std::size_t most = 100;
};

/// What a port bears of members: those who have greeted, with a certificate of the CA where there
/// is TLS.
struct member_rules {
  /// Connections at a time. When one more comes, the newest is hung up on of those with the
  /// certificate that most have, and from the address that most of these come from. [1, ...)
  std::size_t most = 10'000;
  /// Whoever leaves more than so much unread is hung up on when it is sent one more message. Above
  /// the largest message. [bytes]
  std::size_t most_unread = std::size_t{65} << 20;
  /// When all of them leave more than so much unread, the slowest is hung up on of those with the
  /// certificate that leaves most. [bytes]
  std::size_t most_unread_by_all = std::size_t{1} << 30;

  /// Leaves a third of the descriptors that this process may have to other things than
  /// connections, of strangers or members.
  [[nodiscard]] static member_rules of_this_process();
};

struct port_rules {
  stranger_rules strangers = {};
  member_rules members = member_rules::of_this_process();

  /// For the one connection of a node to its head: the node may have as much to say as its trials.
  [[nodiscard]] static port_rules of_one_who_connects() {
    return {{}, {1, std::size_t{256} << 20, std::size_t{512} << 20}};
  }
};

namespace detail {

/// What tells one remote actor from another: the messages that it must understand, and where it is.
struct remote_wish {
  std::set<std::string> interface;
  std::string host;
  std::uint16_t port = 0;
  std::chrono::milliseconds patience;
};

/// A port that is to be opened.
struct opening {
  caf::strong_actor_ptr whom;
  /// The messages that it understands, as CAF greets with them.
  std::set<std::string> interface;
  /// What peers may say to it.
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

/// CAF's `publish` and `openssl::publish`, but for a border, and strangers that nobody waits for:
/// see docs/decisions/0007 and 0013.
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

/// Opens a port WITHOUT encryption or authentication, where whoever connects reaches `whom`.
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
/// @errors `ec::unreachable`; `ec::refused` where another kind of actor is there.
template <class Handle>
[[nodiscard]] expected<Handle>
connect_plain(caf::actor_system& system, const std::string& host, std::uint16_t port,
              std::chrono::milliseconds patience = connect_patience) {
  auto interface = system.message_types(Handle{});
  return detail::as_handle<Handle>(
      detail::find_plain(system, {std::move(interface), host, port, patience}));
}

} // namespace tune
