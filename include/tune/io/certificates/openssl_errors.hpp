/// Keeps the errors of one TLS connection away from the others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tune {

/// Whoever has CAF speak TLS calls it.
void keep_openssl_errors_apart();

} // namespace tune
