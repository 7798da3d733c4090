/// OpenSSL settings for one end of a connection between nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "openssl.hpp"

#include "tune/io/certificates/own_certificate.hpp"

namespace tune {

/// Settings for the client side: TLS 1.3 with the certificate of `files`; peers must present a
/// certificate of the same CA, with any name.
/// @errors `ec::refused` naming the file that OpenSSL rejected, and the reason.
[[nodiscard]] expected<openssl::context_ptr> make_client_context(const tls_files& files);

/// Settings for the server side, with the same rules. No session is ever resumed: each handshake
/// checks the certificates again.
[[nodiscard]] expected<openssl::context_ptr> make_server_context(const tls_files& files);

/// Settings of a server that shows its certificate, and that of its CA, to strangers who show none.
[[nodiscard]] expected<openssl::context_ptr> make_showing_context(const tls_files& files);

/// Settings of a client that has no certificate yet, and knows the server's CA by its fingerprint
/// alone: the server must show that CA beside its own certificate.
/// @param fingerprint 64 lower-case hexadecimal digits.
[[nodiscard]] expected<openssl::context_ptr> make_pinning_context(const std::string& fingerprint);

/// For verify callbacks: `fine`, or 0 if the peer's certificate, which was found fine, is on the
/// list of revoked ones that the session's settings were made with.
[[nodiscard]] int check_revocation(int fine, X509_STORE_CTX* check);

} // namespace tune
