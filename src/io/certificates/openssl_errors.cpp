// OpenSSL wants a thread's queue of errors to be empty before each operation on a connection, and
// CAF 0.17 never empties it. A peer that goes without a word, or that talks no TLS, leaves an error
// there; the next operation on another, healthy connection that has just nothing to read is then
// taken for failed, and that connection is closed.
//
// So the program has these operations of its own. The dynamic linker prefers them to the library's,
// for CAF's library as well: they empty the queue, and call the library's. docs/decisions/0006 says
// more. SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/openssl_errors.hpp"

#include <dlfcn.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace {

/// The library's function of this name.
template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" {

int SSL_read(SSL* connection, void* buffer, int size) {
  static auto* const library = original<int(SSL*, void*, int)>("SSL_read");
  ERR_clear_error();
  return library(connection, buffer, size);
}

int SSL_write(SSL* connection, const void* buffer, int size) {
  static auto* const library = original<int(SSL*, const void*, int)>("SSL_write");
  ERR_clear_error();
  return library(connection, buffer, size);
}

int SSL_accept(SSL* connection) {
  static auto* const library = original<int(SSL*)>("SSL_accept");
  ERR_clear_error();
  return library(connection);
}

int SSL_connect(SSL* connection) {
  static auto* const library = original<int(SSL*)>("SSL_connect");
  ERR_clear_error();
  return library(connection);
}
}

namespace tune {

void keep_openssl_errors_apart() {
  // Its file is linked with whoever calls it, and that is all it takes.
}

} // namespace tune
