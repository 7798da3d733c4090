/// OpenSSL's error queue. There is one per thread, and OpenSSL consults it for operations on all
/// connections.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tune {

/// Empties this thread's error queue. To be called before each operation on a TLS connection:
/// OpenSSL would otherwise take errors left by another connection for a failure of this one.
void forget_tls_errors();

} // namespace tune
