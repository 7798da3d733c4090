/// Tries out whether a peer can be reached, and names the cause where it cannot. CAF's own
/// connecting has no deadlines and tells no causes; so this comes before it.
///
/// All of it blocks, until the deadline at most, and raises no signals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/certificates/tls_identity.hpp"
#include "tune/io/probe/peer_address.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tune {

/// How a probe ended.
enum class probe_outcome : std::uint8_t {
  /// The peer is there and took us in.
  reached,
  name_not_found,
  /// Nobody listens at the port.
  refused,
  /// There is no way to the host.
  unreachable,
  /// Nothing was heard within the limit.
  timed_out,
  /// The peer hung up without a word.
  closed,
  /// The peer does not speak TLS.
  not_tls,
  /// It does not speak TLS 1.3, or breaks its rules.
  tls_failed,
  /// The peer says nothing to plain clients; it seems to want TLS.
  wants_tls,
  /// The peer's certificate is of another CA.
  peer_is_foreign,
  peer_expired,
  peer_not_yet_valid,
  /// The peer's certificate is of no use for other reasons.
  peer_unfit,
  /// The peer does not know our CA.
  we_are_foreign,
  /// The peer holds our certificate for expired, or not valid yet.
  we_expired,
  /// The peer wants a certificate and got none.
  certificate_required,
  /// The peer refused our certificate for other reasons.
  we_are_unfit,
  /// Our own files or this machine failed.
  local_fault,
};

/// "reached", "name_not_found", …
[[nodiscard]] std::string_view to_text(probe_outcome x);

/// What came of a probe.
struct probe_result {
  probe_outcome outcome = probe_outcome::reached;
  /// One line for people that begins with the peer's address; empty on success.
  std::string detail;

  [[nodiscard]] explicit operator bool() const { return outcome == probe_outcome::reached; }
};

using probe_deadline = std::chrono::steady_clock::time_point;

/// Resolves the name and connects to each of its addresses in turn until one takes the connection.
[[nodiscard]] probe_result probe_tcp(const peer_address& whom, probe_deadline until);

/// The same, and keeps the connection.
/// @returns a socket that does not block; the caller's to close. @errors `ec::unreachable`, with
/// the
///          line of a failed probe.
[[nodiscard]] expected<int> open_connection(const peer_address& whom, probe_deadline until);

/// Connects, shakes hands by TLS 1.3 with our certificate, checks the peer's against our CA (its
/// name does not matter), and waits for the peer's first byte: only then is it known that the peer
/// took our certificate. The peer has to speak first, as CAF does.
[[nodiscard]] probe_result probe_tls(const peer_address& whom, const tls_identity& identity,
                                     probe_deadline until);

/// Connects and waits for the peer's first byte.
[[nodiscard]] probe_result probe_plain(const peer_address& whom, probe_deadline until);

} // namespace tune
