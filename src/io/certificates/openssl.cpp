// SPDX-License-Identifier: BSD-3-Clause
#include "openssl.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <cstring>

namespace tune::openssl {
namespace {

/// Passphrase callback that supplies no passphrase instead of asking for one.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

} // namespace

std::string take_errors() {
  std::string result;
  while (auto code = ERR_get_error()) {
    const auto* reason = ERR_SYSTEM_ERROR(code) ? std::strerror(ERR_GET_REASON(code))
                                                : ERR_reason_error_string(code);
    // "system lib" carries no reason of its own: the entry before it holds the reason.
    if (reason != nullptr && ERR_GET_REASON(code) != ERR_R_SYS_LIB)
      result.append(result.empty() ? "" : ", ").append(reason);
  }
  return result.empty() ? "unknown error of OpenSSL" : result;
}

error failure(std::string_view doing) {
  return {ec::internal, "cannot " + std::string{doing} + ": " + take_errors()};
}

bio_ptr reader_of(std::string_view text) {
  return bio_ptr{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

x509_ptr certificate_from(std::string_view pem) {
  auto from = reader_of(pem);
  x509_ptr result{from ? PEM_read_bio_X509(from.get(), nullptr, no_passphrase, nullptr) : nullptr};
  ERR_clear_error();
  return result;
}

std::size_t count_certificates(std::string_view pem) {
  auto from = reader_of(pem);
  std::size_t result = 0;
  while (from && x509_ptr{PEM_read_bio_X509(from.get(), nullptr, no_passphrase, nullptr)})
    ++result;
  ERR_clear_error();
  return result;
}

key_ptr key_from(std::string_view pem) {
  auto from = reader_of(pem);
  key_ptr result{from ? PEM_read_bio_PrivateKey(from.get(), nullptr, no_passphrase, nullptr)
                      : nullptr};
  ERR_clear_error();
  return result;
}

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string result;
  for (auto x : bytes) {
    result += "0123456789abcdef"[x >> 4U];
    result += "0123456789abcdef"[x & 15U];
  }
  return result;
}

} // namespace tune::openssl
