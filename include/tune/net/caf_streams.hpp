/// The door to the inner classes of CAF's network that connections consist of, beside
/// tune/net/caf_tls.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/caf_tls.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/io/basp/header.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/doorman_impl.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/io/scribe.hpp>
#include <caf/policy/tcp.hpp>

#include <future>
#include <string>
#include <type_traits>
#include <utility>

namespace tune::detail {

/// Buffer type in which CAF collects bytes.
using io_buffer = std::remove_reference_t<decltype(std::declval<caf::io::scribe&>().wr_buf())>;

/// The actor behind all connections.
inline caf::actor connection_broker(caf::actor_system& system) {
#if TUNE_CAF_1
  return system.middleman().named_broker<caf::io::basp_broker>("BASP");
#else
  return system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
#endif
}

/// The files that were passed to `load_network`; they may have been removed since.
inline tls_files certificates_of(caf::actor_system& system) {
  const auto& config = system.config();
#if TUNE_CAF_1
  auto file = [&](const char* key) { return caf::get_or(config, key, std::string{}); };
  return {file("caf.openssl.certificate"), file("caf.openssl.key"), file("caf.openssl.cafile")};
#else
  return {config.openssl_certificate, config.openssl_key, config.openssl_cafile};
#endif
}

/// The loop that serves all connections, on a thread of its own.
inline caf::io::network::default_multiplexer& connection_loop(caf::actor_system& system) {
  return dynamic_cast<caf::io::network::default_multiplexer&>(system.middleman().backend());
}

/// Counts the silence of a connection from now on; to be called before the broker gets it.
///
/// CAF 0.17 counts it from the epoch of the clock if this side connects: at its next heartbeat,
/// twice a second, it would give up a peer that has not greeted yet.
inline void count_silence_from_now(caf::actor_system& system, caf::io::connection_handle over) {
#if TUNE_CAF_1
  static_cast<void>(system);
  static_cast<void>(over);
#else
  auto broker = connection_broker(system);
  std::promise<void> counts;
  connection_loop(system).post([&broker, &counts, over] {
    auto* whom = caf::actor_cast<caf::abstract_actor*>(broker);
    static_cast<caf::io::basp_broker*>(whom)->set_context(over);
    counts.set_value();
  });
  counts.get_future().wait();
#endif
}

} // namespace tune::detail
