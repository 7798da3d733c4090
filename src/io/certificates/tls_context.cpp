// SPDX-License-Identifier: BSD-3-Clause
#include "tls_context.hpp"

namespace tune {
namespace {

error not_taken(const std::filesystem::path& file) {
  return {ec::refused, file.string() + ": " + openssl::take_errors()};
}

} // namespace

expected<openssl::context_ptr> make_client_context(const tls_files& files) {
  openssl::context_ptr result{SSL_CTX_new(TLS_client_method())};
  auto* x = result.get();
  if (x == nullptr || SSL_CTX_set_min_proto_version(x, TLS1_3_VERSION) != 1)
    return openssl::failure("begin with TLS");
  // A key with a passphrase must not make OpenSSL ask at the terminal.
  SSL_CTX_set_default_passwd_cb(x, [](char*, int, int, void*) { return -1; });
  if (SSL_CTX_use_certificate_file(x, files.certificate.c_str(), SSL_FILETYPE_PEM) != 1)
    return not_taken(files.certificate);
  if (SSL_CTX_use_PrivateKey_file(x, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
    return not_taken(files.key);
  if (SSL_CTX_load_verify_file(x, files.authority.c_str()) != 1)
    return not_taken(files.authority);
  SSL_CTX_set_verify(x, SSL_VERIFY_PEER, nullptr);
  return result;
}

} // namespace tune
