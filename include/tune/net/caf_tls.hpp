/// The door to CAF's mutual TLS, beside tune/net/caf_io.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/certificates/own_certificate.hpp"
#include "tune/net/caf_io.hpp"

#if TUNE_CAF_1
#include <caf/openssl/all.hpp>
#endif

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace tune {

/// Like `load_network` above, with mutual TLS for what the functions below publish and connect.
/// @param files All three must be named and readable, see `load_own_certificate`. They are read
/// anew for each connection.
inline void load_network(caf::actor_system_config& config, const tls_files& files,
                         std::chrono::nanoseconds lost_after = default_lost_after) {
  load_network(config, lost_after);
#if TUNE_CAF_1
  // The manager defines the keys below, so it must be loaded first.
  config.load<caf::openssl::manager>();
  set(config, "openssl.certificate", files.certificate.string());
  set(config, "openssl.key", files.key.string());
  set(config, "openssl.cafile", files.authority.string());
#else
  config.openssl_certificate = files.certificate.string();
  config.openssl_key = files.key.string();
  config.openssl_cafile = files.authority.string();
#endif
}

namespace detail {

[[nodiscard]] expected<caf::strong_actor_ptr> find_tls(caf::actor_system& system,
                                                       const remote_wish& whom);

} // namespace detail

/// Opens a port where whoever shows a certificate of the CA reaches `whom`.
/// @param port 0: a free one. @param address To bind to, e.g. "127.0.0.1".
/// @returns the port. @errors `ec::refused`.
template <class Handle>
[[nodiscard]] expected<std::uint16_t> publish_tls(caf::actor_system& system, const Handle& whom,
                                                  std::uint16_t port, const char* address,
                                                  const port_rules& rules = {}) {
  return detail::from_caf(
      system,
      detail::open_tls_port(system, detail::opening_for(system, whom, port, address, rules)));
}

/// Connects to what `publish_tls` published; blocks and fails like `connect_plain`.
template <class Handle>
[[nodiscard]] expected<Handle> connect_tls(caf::actor_system& system, const std::string& host,
                                           std::uint16_t port,
                                           std::chrono::milliseconds patience = connect_patience) {
  auto interface = system.message_types(Handle{});
  return detail::as_handle<Handle>(
      detail::find_tls(system, {std::move(interface), host, port, patience}));
}

} // namespace tune
