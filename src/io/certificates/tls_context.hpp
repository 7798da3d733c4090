/// OpenSSL's settings for one end of a connection between nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "openssl.hpp"

#include "tune/io/certificates/tls_identity.hpp"

namespace tune {

/// For whoever connects: TLS 1.3 with the certificate of `files`; peers must show one of the same
/// CA, whatever its name.
/// @errors `ec::refused` with the file that OpenSSL would not take, and why.
[[nodiscard]] expected<openssl::context_ptr> make_client_context(const tls_files& files);

/// The same for whoever is connected to. No session is ever resumed: each handshake checks the
/// certificates anew.
[[nodiscard]] expected<openssl::context_ptr> make_server_context(const tls_files& files);

} // namespace tune
