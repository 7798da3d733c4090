/// OpenSSL's queue of errors, one per thread, by which it judges operations on all connections.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tune {

/// Empties this thread's. Before each operation on a TLS connection: what another connection left
/// there would be taken for its failure.
void forget_tls_errors();

} // namespace tune
