// Makes certificates; certificate.cpp reads them.
// SPDX-License-Identifier: BSD-3-Clause
#include "openssl.hpp"

#include "tune/io/certificates/certificate.hpp"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace tune {
namespace {

using namespace openssl;

constexpr const char* organization = "tune-node";

/// Adds one text entry to a subject.
bool add_entry(X509_NAME* to, const char* field, const std::string& text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  return X509_NAME_add_entry_by_txt(to, field, MBSTRING_UTF8, bytes, static_cast<int>(text.size()),
                                    -1, 0)
         == 1;
}

bool add_extension(X509* to, X509* issuer, int nid, const char* text) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  extension_ptr made{X509V3_EXT_conf_nid(nullptr, &context, nid, text)};
  return made && X509_add_ext(to, made.get(), -1) == 1;
}

/// Sets a serial number of 128 random bits, so that nobody can predict the bytes that are signed.
bool set_random_serial(X509* to) {
  constexpr int bits = 128;
  bignum_ptr number{BN_new()};
  return number && BN_rand(number.get(), bits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1
         && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(to)) != nullptr;
}

bool set_validity(X509* to, const validity_span& valid) {
  return ASN1_TIME_set(X509_getm_notBefore(to), valid.from.time_since_epoch().count()) != nullptr
         && ASN1_TIME_set(X509_getm_notAfter(to), valid.until.time_since_epoch().count())
                != nullptr;
}

/// A certificate with subject, serial number, dates and key, but without extensions and signature.
x509_ptr begin_certificate(const std::string& name, const validity_span& valid, EVP_PKEY* key) {
  x509_ptr result{X509_new()};
  auto made = result && X509_set_version(result.get(), X509_VERSION_3) == 1
              && set_random_serial(result.get()) && set_validity(result.get(), valid)
              && add_entry(X509_get_subject_name(result.get()), "O", organization)
              && add_entry(X509_get_subject_name(result.get()), "CN", name)
              && X509_set_pubkey(result.get(), key) == 1;
  return made ? std::move(result) : nullptr;
}

general_name_ptr general_name(const std::string& host) {
  general_name_ptr result{GENERAL_NAME_new()};
  if (!result)
    return nullptr;
  if (auto* address = a2i_IPADDRESS(host.c_str())) {
    GENERAL_NAME_set0_value(result.get(), GEN_IPADD, address);
    return result;
  }
  auto* text = ASN1_IA5STRING_new();
  if (text == nullptr || ASN1_STRING_set(text, host.data(), static_cast<int>(host.size())) != 1) {
    ASN1_IA5STRING_free(text);
    return nullptr;
  }
  GENERAL_NAME_set0_value(result.get(), GEN_DNS, text);
  return result;
}

bool add_hosts(X509* to, const node_names& whom) {
  general_names_ptr all{GENERAL_NAMES_new()};
  auto add = [&all](const std::string& host) {
    auto made = general_name(host);
    if (!all || !made || sk_GENERAL_NAME_push(all.get(), made.get()) <= 0)
      return false;
    (void)made.release(); // `all` owns it now
    return true;
  };
  if (!add(whom.name))
    return false;
  for (const auto& host : whom.hosts)
    if (host != whom.name && !add(host))
      return false;
  return X509_add1_ext_i2d(to, NID_subject_alt_name, all.get(), 0, X509V3_ADD_DEFAULT) == 1;
}

expected<std::string> text_of(BIO* from) {
  char* begin = nullptr;
  auto size = BIO_get_mem_data(from, &begin);
  if (size <= 0)
    return failure("write a certificate");
  return std::string{begin, static_cast<std::size_t>(size)};
}

expected<key_pair> written(X509* certificate, EVP_PKEY* key) {
  bio_ptr open{BIO_new(BIO_s_mem())};
  bio_ptr secret{BIO_new(BIO_s_secmem())};
  if (!open || !secret || PEM_write_bio_X509(open.get(), certificate) != 1
      || PEM_write_bio_PKCS8PrivateKey(secret.get(), key, nullptr, nullptr, 0, nullptr, nullptr)
             != 1)
    return failure("write a certificate");
  auto first = text_of(open.get());
  auto second = text_of(secret.get());
  if (!first || !second)
    return first ? second.error() : first.error();
  return key_pair{std::move(*first), std::move(*second)};
}

/// Eight random bytes as hexadecimal digits; empty on failure.
std::string random_part() {
  std::array<unsigned char, 8> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    return {};
  return hexadecimal(bytes);
}

error wrong_name(const std::string& given, std::string_view longest) {
  return {ec::bad_option, "'" + given + "' cannot be a name: 1 to " + std::string{longest}
                              + " letters, digits, dots, dashes and underscores, the first one a "
                                "letter or digit"};
}

} // namespace

expected<key_pair> make_authority(const std::string& cluster, validity_span valid) {
  if (!is_cluster_name(cluster))
    return wrong_name(cluster, "40");
  auto random = random_part();
  key_ptr key{EVP_EC_gen("P-256")};
  auto made = key && !random.empty() ? begin_certificate(cluster + " " + random, valid, key.get())
                                     : nullptr;
  auto* x = made.get();
  if (x == nullptr || X509_set_issuer_name(x, X509_get_subject_name(x)) != 1
      || !add_extension(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
      || !add_extension(x, x, NID_key_usage, "critical,keyCertSign,cRLSign")
      || !add_extension(x, x, NID_subject_key_identifier, "hash")
      || !add_extension(x, x, NID_authority_key_identifier, "keyid:always")
      || X509_sign(x, key.get(), EVP_sha256()) <= 0)
    return failure("make a certificate authority");
  return written(x, key.get());
}

namespace {

struct loaded_issuer {
  x509_ptr certificate;
  key_ptr key;
};

expected<loaded_issuer> load_issuer(const key_pair& authority, const node_names& whom) {
  if (!is_node_name(whom.name))
    return wrong_name(whom.name, "64");
  for (const auto& host : whom.hosts)
    if (!is_host_or_address(host))
      return error{ec::bad_option, "'" + host + "' is neither a host name nor an address"};
  loaded_issuer result{certificate_from(authority.certificate), key_from(authority.key)};
  if (!result.certificate || !result.key || X509_check_ca(result.certificate.get()) != 1)
    return error{ec::refused, "the certificate or the key of the authority is unreadable"};
  if (!key_fits(authority.certificate, authority.key))
    return error{ec::refused, "the key of the authority does not belong to its certificate"};
  return result;
}

/// A node's certificate for this key; null on failure.
x509_ptr sign_for(EVP_PKEY* key, const loaded_issuer& by, const node_names& whom,
                  validity_span valid) {
  auto made = begin_certificate(whom.name, valid, key);
  auto* x = made.get();
  auto* issuer = by.certificate.get();
  if (x == nullptr || X509_set_issuer_name(x, X509_get_subject_name(issuer)) != 1
      || !add_extension(x, issuer, NID_basic_constraints, "critical,CA:FALSE")
      || !add_extension(x, issuer, NID_key_usage, "critical,digitalSignature")
      || !add_extension(x, issuer, NID_ext_key_usage, "serverAuth,clientAuth")
      || !add_extension(x, issuer, NID_subject_key_identifier, "hash")
      || !add_extension(x, issuer, NID_authority_key_identifier, "keyid:always")
      || !add_hosts(x, whom) || X509_sign(x, by.key.get(), EVP_sha256()) <= 0)
    return nullptr;
  return made;
}

/// The public key of a request that is fit for a node.
expected<key_ptr> key_of_request(std::string_view request) {
  auto from = reader_of(request);
  request_ptr x{from ? PEM_read_bio_X509_REQ(from.get(), nullptr, nullptr, nullptr) : nullptr};
  key_ptr key{x ? X509_REQ_get_pubkey(x.get()) : nullptr};
  std::array<char, 64> group{};
  std::size_t size = 0;
  const auto is_ours = key && EVP_PKEY_is_a(key.get(), "EC") == 1
                       && EVP_PKEY_get_group_name(key.get(), group.data(), group.size(), &size) == 1
                       && std::string_view{group.data(), size} == SN_X9_62_prime256v1;
  const auto is_signed = is_ours && X509_REQ_verify(x.get(), key.get()) == 1;
  ERR_clear_error();
  if (!is_signed)
    return error{ec::refused, "no request for a certificate of an EC key on P-256, signed by it"};
  return key;
}

} // namespace

expected<key_pair> issue_certificate(const key_pair& authority, const node_names& whom,
                                     validity_span valid) {
  auto issuer = load_issuer(authority, whom);
  if (!issuer)
    return issuer.error();
  key_ptr key{EVP_EC_gen("P-256")};
  auto made = key ? sign_for(key.get(), *issuer, whom, valid) : nullptr;
  if (!made)
    return failure("make a certificate");
  return written(made.get(), key.get());
}

expected<certificate_request> make_certificate_request(const std::string& name) {
  if (!is_node_name(name))
    return wrong_name(name, "64");
  key_ptr key{EVP_EC_gen("P-256")};
  request_ptr x{X509_REQ_new()};
  bio_ptr open{BIO_new(BIO_s_mem())};
  bio_ptr secret{BIO_new(BIO_s_secmem())};
  if (!key || !x || !open || !secret || X509_REQ_set_version(x.get(), X509_REQ_VERSION_1) != 1
      || !add_entry(X509_REQ_get_subject_name(x.get()), "CN", name)
      || X509_REQ_set_pubkey(x.get(), key.get()) != 1
      || X509_REQ_sign(x.get(), key.get(), EVP_sha256()) <= 0
      || PEM_write_bio_X509_REQ(open.get(), x.get()) != 1
      || PEM_write_bio_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                       nullptr)
             != 1)
    return failure("make a request for a certificate");
  auto first = text_of(open.get());
  auto second = text_of(secret.get());
  if (!first || !second)
    return first ? second.error() : first.error();
  return certificate_request{std::move(*first), std::move(*second)};
}

expected<void> check_certificate_request(std::string_view request) {
  if (auto key = key_of_request(request); !key)
    return key.error();
  return {};
}

expected<std::string> issue_for_request(const key_pair& authority, std::string_view request,
                                        const node_names& whom, validity_span valid) {
  auto issuer = load_issuer(authority, whom);
  if (!issuer)
    return issuer.error();
  auto key = key_of_request(request);
  if (!key)
    return key.error();
  auto made = sign_for(key->get(), *issuer, whom, valid);
  bio_ptr open{BIO_new(BIO_s_mem())};
  if (!made || !open || PEM_write_bio_X509(open.get(), made.get()) != 1)
    return failure("make a certificate");
  return text_of(open.get());
}

} // namespace tune
