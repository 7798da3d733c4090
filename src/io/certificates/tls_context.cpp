// SPDX-License-Identifier: BSD-3-Clause
#include "tls_context.hpp"

namespace tune {
namespace {

error not_taken(const std::filesystem::path& file) {
  return {ec::refused, file.string() + ": " + openssl::take_errors()};
}

expected<openssl::context_ptr> make_context(const SSL_METHOD* end, const tls_files& files,
                                            int verify) {
  openssl::context_ptr result{SSL_CTX_new(end)};
  auto* x = result.get();
  if (x == nullptr || SSL_CTX_set_min_proto_version(x, TLS1_3_VERSION) != 1)
    return openssl::failure("begin with TLS");
  // Prevents OpenSSL from asking at the terminal for the passphrase of a key.
  SSL_CTX_set_default_passwd_cb(x, [](char*, int, int, void*) { return -1; });
  if (SSL_CTX_use_certificate_chain_file(x, files.certificate.c_str()) != 1)
    return not_taken(files.certificate);
  if (SSL_CTX_use_PrivateKey_file(x, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
    return not_taken(files.key);
  if (SSL_CTX_load_verify_file(x, files.authority.c_str()) != 1)
    return not_taken(files.authority);
  SSL_CTX_set_verify(x, verify, nullptr);
  return result;
}

} // namespace

expected<openssl::context_ptr> make_client_context(const tls_files& files) {
  return make_context(TLS_client_method(), files, SSL_VERIFY_PEER);
}

expected<openssl::context_ptr> make_server_context(const tls_files& files) {
  auto result
      = make_context(TLS_server_method(), files, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT);
  if (!result)
    return result;
  SSL_CTX_set_session_cache_mode(result->get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(result->get(), 0);
  return result;
}

} // namespace tune
