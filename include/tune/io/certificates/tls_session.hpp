/// One end of a TLS connection over a socket that does not block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/certificates/tls_identity.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace tune {

/// TLS 1.3 with mutual authentication, and nothing older: see docs/security.md. Shakes hands while
/// it reads and writes. Raises no SIGPIPE. Not for two threads at a time.
class tls_session {
public:
  enum class side { accepts, connects };
  /// What came of reading or writing.
  enum class outcome {
    done,
    /// The socket has to be ready first, or the peer to say something.
    later,
    /// The connection is over, in order or not.
    over,
  };

  /// Reads the files, and begins to shake hands. Does not own the socket, which outlives it.
  /// @errors `ec::refused` with the file that cannot be used; `ec::internal`.
  [[nodiscard]] static expected<tls_session> begin(const tls_files& files, int socket, side which);

  tls_session(tls_session&&) noexcept;
  tls_session& operator=(tls_session&&) noexcept;
  ~tls_session();

  /// @param count Bytes that were read; 0 unless `done`.
  [[nodiscard]] outcome read(void* to, std::size_t size, std::size_t& count);
  /// With `size` 0 it only goes on with the handshake.
  /// @param count Bytes that were written; 0 unless `done`.
  [[nodiscard]] outcome write(const void* from, std::size_t size, std::size_t& count);
  /// Who the peer is, as the subject of its certificate says ("CN=w1,O=tune-node"): the CA vouches
  /// for it. Empty before the hands are shaken.
  [[nodiscard]] std::string peer() const;
  /// Bytes that were received and not read.
  [[nodiscard]] std::size_t pending() const;
  /// The SHA-256 of the peer's certificate, 32 bytes; empty before the handshake.
  [[nodiscard]] std::string fingerprint_of_peer() const;

private:
  class impl;
  explicit tls_session(std::unique_ptr<impl> what);
  std::unique_ptr<impl> impl_;
};

} // namespace tune
