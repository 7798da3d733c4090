/// The door to CAF's mutual TLS, beside tune/net/caf_io.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/certificates/tls_identity.hpp"
#include "tune/net/caf_io.hpp"

#include <caf/openssl/all.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace tune {

/// `load_network`, and mutual TLS for what is published and connected by the functions below.
/// @param files All three must be named and readable, see `load_identity`: with fewer CAF
///   encrypts, but lets in everyone.
inline void load_network(caf::actor_system_config& config, const tls_files& files,
                         std::chrono::nanoseconds lost_after = std::chrono::seconds{10}) {
  load_network(config, lost_after);
  config.load<caf::openssl::manager>();
#if TUNE_CAF_1
  set(config, "openssl.certificate", files.certificate.string());
  set(config, "openssl.key", files.key.string());
  set(config, "openssl.cafile", files.authority.string());
#else
  config.openssl_certificate = files.certificate.string();
  config.openssl_key = files.key.string();
  config.openssl_cafile = files.authority.string();
#endif
}

/// What a port bears of those who connect and have not said a word that proves who they are.
struct stranger_rules {
  /// Until they are hung up on.
  std::chrono::milliseconds patience = connect_patience;
  /// At a time; when one more comes, the oldest is hung up on. [1, ...)
  std::size_t most = 100;
};

namespace detail {

/// CAF's `openssl::publish`, but for one that outlives its certificates and does not wait for
/// strangers: see docs/decisions/0007.
[[nodiscard]] caf::expected<std::uint16_t> open_tls_port(caf::actor_system& system,
                                                         const caf::strong_actor_ptr& whom,
                                                         std::set<std::string> interface,
                                                         std::uint16_t port, const char* address,
                                                         const stranger_rules& rules);

[[nodiscard]] expected<caf::strong_actor_ptr> find_tls(caf::actor_system& system,
                                                       const remote_wish& whom);

} // namespace detail

/// Opens a port where whoever shows a certificate of the CA reaches `whom`.
/// @param port 0: a free one. @param address To bind to, e.g. "127.0.0.1".
/// @returns the port. @errors `ec::refused`.
template <class Handle>
[[nodiscard]] expected<std::uint16_t> publish_tls(caf::actor_system& system, const Handle& whom,
                                                  std::uint16_t port, const char* address,
                                                  const stranger_rules& rules = {}) {
  return detail::from_caf(
      system, detail::open_tls_port(system, caf::actor_cast<caf::strong_actor_ptr>(whom),
                                    system.message_types(whom), port, address, rules));
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
