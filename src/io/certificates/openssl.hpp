/// Owning handles for OpenSSL's objects, and OpenSSL's errors as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/certificates/certificate.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tune::openssl {

/// Frees an object by one of OpenSSL's functions.
template <auto Free>
struct deleter {
  template <class T>
  void operator()(T* x) const {
    Free(x);
  }
};

template <class T, auto Free>
using owned = std::unique_ptr<T, deleter<Free>>;

using bio_ptr = owned<BIO, BIO_free_all>;
using bignum_ptr = owned<BIGNUM, BN_free>;
using context_ptr = owned<SSL_CTX, SSL_CTX_free>;
using extension_ptr = owned<X509_EXTENSION, X509_EXTENSION_free>;
using general_name_ptr = owned<GENERAL_NAME, GENERAL_NAME_free>;
using general_names_ptr = owned<GENERAL_NAMES, GENERAL_NAMES_free>;
using key_ptr = owned<EVP_PKEY, EVP_PKEY_free>;
using request_ptr = owned<X509_REQ, X509_REQ_free>;
using session_ptr = owned<SSL, SSL_free>;
using store_ptr = owned<X509_STORE, X509_STORE_free>;
using verifier_ptr = owned<X509_STORE_CTX, X509_STORE_CTX_free>;
using x509_ptr = owned<X509, X509_free>;

/// Empties this thread's queue of errors. @returns the reasons of the errors, the deepest first, or
/// "unknown error of OpenSSL".
[[nodiscard]] std::string take_errors();

/// `ec::internal` with the errors that OpenSSL has queued. @param doing "sign a certificate".
[[nodiscard]] error failure(std::string_view doing);

/// A stream that reads `text`, which must outlive it.
[[nodiscard]] bio_ptr reader_of(std::string_view text);

/// The first certificate of a PEM text; null if there is none. Leaves no errors queued.
[[nodiscard]] x509_ptr certificate_from(std::string_view pem);

/// See `read_certificate`. Leaves no errors queued.
[[nodiscard]] certificate_facts facts_of(X509* x);

/// The number of certificates in a PEM text.
[[nodiscard]] std::size_t count_certificates(std::string_view pem);

/// The private key of a PEM text; null if there is none or if it needs a passphrase, since nobody
/// is ever asked for one. Leaves no errors queued.
[[nodiscard]] key_ptr key_from(std::string_view pem);

/// Two lower-case digits per byte.
[[nodiscard]] std::string hexadecimal(std::span<const unsigned char> bytes);

} // namespace tune::openssl
