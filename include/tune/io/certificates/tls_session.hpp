/// One end of a TLS connection over a non-blocking socket.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/certificates/own_certificate.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

struct ssl_ctx_st; // from OpenSSL, whose headers are not included here

namespace tune {

/// TLS 1.3 with mutual authentication; older versions are refused: see docs/security.md. The
/// handshake takes place during reads and writes. Raises no SIGPIPE. Not thread-safe.
class tls_session {
public:
  enum class side { accepts, connects };
  /// Result of a read or write.
  enum class outcome {
    done,
    /// The call must wait until the socket is ready or the peer has sent something.
    later,
    /// The connection has ended, cleanly or not.
    over,
  };

  /// Reads the files and begins the handshake. Does not own the socket, which must outlive the
  /// session.
  /// @errors `ec::refused` naming the file that cannot be used; `ec::internal`.
  [[nodiscard]] static expected<tls_session> begin(const tls_files& files, int socket, side which);

  /// Begins with settings that were made before; the session keeps them. Private to io.
  [[nodiscard]] static expected<tls_session> over(ssl_ctx_st* settings, int socket, side which);

  tls_session(tls_session&&) noexcept;
  tls_session& operator=(tls_session&&) noexcept;
  ~tls_session();

  /// @param count Bytes that were read; 0 unless `done`.
  [[nodiscard]] outcome read(void* to, std::size_t size, std::size_t& count);
  /// With `size` 0, only continues the handshake.
  /// @param count Bytes that were written; 0 unless `done`.
  [[nodiscard]] outcome write(const void* from, std::size_t size, std::size_t& count);
  /// The peer's identity: the subject of its certificate ("CN=w1,O=tune-node"), verified by the CA.
  /// Empty before the handshake is complete.
  [[nodiscard]] std::string subject_of_peer() const;
  /// Name, dates and fingerprint of the peer's certificate; empty before the handshake is complete.
  [[nodiscard]] std::optional<certificate_facts> certificate_of_peer() const;
  /// Number of bytes received and not yet read.
  [[nodiscard]] std::size_t pending() const;

  /// From now on, takes as much from the socket at once as is there. For those who read until
  /// `later` each time that the socket is ready, or as long as `has_more` says.
  void read_in_bulk();
  /// Whether a read may bring something without a word from the socket.
  [[nodiscard]] bool has_more() const;
  /// Whether the handshake is complete.
  [[nodiscard]] bool is_shaken() const;
  /// Whether the last call returned `later` since the socket takes no more.
  [[nodiscard]] bool wants_write() const;
  /// The SHA-256 of the peer's certificate, 32 bytes; empty before the handshake is complete.
  [[nodiscard]] std::string fingerprint_of_peer() const;

private:
  class impl;
  explicit tls_session(std::unique_ptr<impl> what);
  std::unique_ptr<impl> impl_;
};

} // namespace tune
