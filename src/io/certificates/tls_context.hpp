/// OpenSSL's settings for one end of a connection between nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "openssl.hpp"

#include "tune/io/certificates/tls_identity.hpp"

namespace tune {

/// TLS 1.3 with the certificate of `files`; peers must show one of the same CA, whatever its name.
/// @errors `ec::refused` with the file that OpenSSL would not take, and why.
[[nodiscard]] expected<openssl::context_ptr> make_client_context(const tls_files& files);

} // namespace tune
