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

} // namespace tune
