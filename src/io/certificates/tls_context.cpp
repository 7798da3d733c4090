// SPDX-License-Identifier: BSD-3-Clause
#include "tls_context.hpp"

#include "tune/io/certificates/revocation_list.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <memory>
#include <utility>

namespace tune {
namespace {

template <class T>
void free_attached(void*, void* what, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<T*>(what);
}

/// The place of an attached T in settings, which free it.
template <class T>
int place_of() {
  static const int result
      = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_attached<T>);
  return result;
}

template <class T>
bool attach(SSL_CTX* to, T what) {
  auto held = std::make_unique<T>(std::move(what));
  if (SSL_CTX_set_ex_data(to, place_of<T>(), held.get()) != 1)
    return false;
  static_cast<void>(held.release());
  return true;
}

template <class T>
const T* attached_to(X509_STORE_CTX* check) {
  const auto* session = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(check, SSL_get_ex_data_X509_STORE_CTX_idx()));
  return session == nullptr
             ? nullptr
             : static_cast<const T*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), place_of<T>()));
}

struct pinned_authority {
  std::string fingerprint;
};

/// Takes the peer's certificate for good if the pinned CA, which it shows as well, signed it.
int verify_by_pin(X509_STORE_CTX* check, void*) {
  const auto* pin = attached_to<pinned_authority>(check);
  auto* leaf = X509_STORE_CTX_get0_cert(check);
  auto* shown = X509_STORE_CTX_get0_untrusted(check);
  X509_STORE_CTX_set_error(check, X509_V_ERR_CERT_UNTRUSTED);
  for (int i = 0; pin != nullptr && leaf != nullptr && i < sk_X509_num(shown); ++i) {
    auto* candidate = sk_X509_value(shown, i);
    if (openssl::facts_of(candidate).fingerprint != pin->fingerprint)
      continue;
    openssl::store_ptr trusted{X509_STORE_new()};
    openssl::verifier_ptr inner{X509_STORE_CTX_new()};
    const auto is_good = trusted && inner && X509_STORE_add_cert(trusted.get(), candidate) == 1
                         && X509_STORE_CTX_init(inner.get(), trusted.get(), leaf, nullptr) == 1
                         && X509_STORE_CTX_set_purpose(inner.get(), X509_PURPOSE_SSL_SERVER) == 1
                         && X509_verify_cert(inner.get()) == 1;
    ERR_clear_error();
    X509_STORE_CTX_set_error(check, is_good ? X509_V_OK : X509_V_ERR_CERT_UNTRUSTED);
    return is_good ? 1 : 0;
  }
  return 0;
}

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
  auto revoked = load_revocations(revocation_file_in(files.authority.parent_path()));
  if (!revoked)
    return revoked.error();
  if (!attach(x, std::move(*revoked)))
    return openssl::failure("begin with TLS");
  SSL_CTX_set_verify(x, verify, check_revocation);
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

expected<openssl::context_ptr> make_showing_context(const tls_files& files) {
  auto result = make_server_context(files);
  if (!result)
    return result;
  SSL_CTX_set_verify(result->get(), SSL_VERIFY_NONE, nullptr);
  openssl::bio_ptr from{BIO_new_file(files.authority.c_str(), "r")};
  openssl::x509_ptr authority{from ? PEM_read_bio_X509(from.get(), nullptr, nullptr, nullptr)
                                   : nullptr};
  if (!authority || SSL_CTX_add_extra_chain_cert(result->get(), authority.get()) != 1)
    return not_taken(files.authority);
  static_cast<void>(authority.release()); // the settings own it now
  return result;
}

expected<openssl::context_ptr> make_pinning_context(const std::string& fingerprint) {
  openssl::context_ptr result{SSL_CTX_new(TLS_client_method())};
  if (!result || SSL_CTX_set_min_proto_version(result.get(), TLS1_3_VERSION) != 1
      || !attach(result.get(), pinned_authority{fingerprint}))
    return openssl::failure("begin with TLS");
  SSL_CTX_set_verify(result.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(result.get(), verify_by_pin, nullptr);
  return result;
}

int check_revocation(int fine, X509_STORE_CTX* check) {
  const auto* list = attached_to<revocation_list>(check);
  auto* shown = X509_STORE_CTX_get_current_cert(check);
  if (fine != 1 || list == nullptr || list->size() == 0 || shown == nullptr
      || !list->has(openssl::facts_of(shown)))
    return fine;
  X509_STORE_CTX_set_error(check, X509_V_ERR_CERT_REVOKED);
  return 0;
}

} // namespace tune
