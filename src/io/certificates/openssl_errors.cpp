// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/openssl_errors.hpp"

#include <openssl/err.h>

namespace tune {

void forget_tls_errors() {
  ERR_clear_error();
}

} // namespace tune
