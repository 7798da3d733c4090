/// Tests whether a peer can be reached, and names the cause if it cannot. A probe precedes a
/// connection by CAF, which has no deadlines and reports no causes.
///
/// All functions block, at most until the deadline, and raise no signals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/certificates/own_certificate.hpp"
#include "tune/io/probe/peer_address.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Result of a probe.
enum class probe_outcome : std::uint8_t {
  /// The peer is reachable and accepted this node.
  reached,
  name_not_found,
  /// Nothing listens on the port.
  refused,
  /// There is no route to the host.
  unreachable,
  /// No answer came before the deadline.
  timed_out,
  /// The peer closed the connection without sending anything.
  closed,
  /// The peer does not speak TLS.
  not_tls,
  /// The peer does not speak TLS 1.3, or violates the protocol.
  tls_failed,
  /// The peer sends nothing to plain clients; it seems to require TLS.
  wants_tls,
  /// The peer's certificate was issued by another CA.
  peer_is_foreign,
  peer_expired,
  peer_not_yet_valid,
  /// The peer's certificate is unusable for another reason.
  peer_unfit,
  /// The peer does not know this node's CA.
  we_are_foreign,
  /// The peer considers this node's certificate expired, or not valid yet.
  we_expired,
  /// The peer requires a certificate and received none.
  certificate_required,
  /// The peer refused this node's certificate for another reason.
  we_are_unfit,
  /// This node's own files or this machine failed.
  local_fault,
};

/// "reached", "name_not_found", …
[[nodiscard]] std::string_view to_text(probe_outcome x);

/// The outcome of a probe, with a message.
struct probe_result {
  probe_outcome outcome = probe_outcome::reached;
  /// One line for people that begins with the peer's address; empty on success.
  std::string detail;

  [[nodiscard]] explicit operator bool() const { return outcome == probe_outcome::reached; }
};

using probe_deadline = std::chrono::steady_clock::time_point;

/// Resolves the name.
/// @param addresses out: at least one on success, such as "10.0.0.2".
[[nodiscard]] probe_result probe_name(const peer_address& whom, probe_deadline until,
                                      std::vector<std::string>& addresses);

/// Resolves the name and connects to each of its addresses in turn until one accepts the
/// connection.
[[nodiscard]] probe_result probe_tcp(const peer_address& whom, probe_deadline until);

/// Like `probe_tcp`, but keeps the connection.
/// @returns a non-blocking socket, which the caller must close. @errors `ec::unreachable` with the
/// line of the failed probe.
[[nodiscard]] expected<int> open_connection(const peer_address& whom, probe_deadline until);

/// Connects, performs a TLS 1.3 handshake with this node's certificate, checks the peer's
/// certificate against this node's CA (the name does not matter), and waits for the peer's first
/// byte: only this byte shows that the peer accepted the certificate. The peer has to send first,
/// as CAF does.
[[nodiscard]] probe_result probe_tls(const peer_address& whom, const own_certificate& identity,
                                     probe_deadline until);

/// Connects and waits for the peer's first byte.
[[nodiscard]] probe_result probe_plain(const peer_address& whom, probe_deadline until);

} // namespace tune
