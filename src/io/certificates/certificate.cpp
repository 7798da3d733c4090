// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/certificate.hpp"

#include "openssl.hpp"

#include <openssl/err.h>

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace tune {
namespace {

using namespace openssl;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool has_name_characters(std::string_view text) {
  return !text.empty() && is_letter_or_digit(text.front())
         && std::all_of(text.begin(), text.end(), [](char c) {
              return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_';
            });
}

std::string text_of(const X509_NAME* name) {
  bio_ptr to{BIO_new(BIO_s_mem())};
  constexpr auto flags = XN_FLAG_RFC2253 & ~XN_FLAG_DN_REV & ~XN_FLAG_SEP_MASK;
  if (!to || X509_NAME_print_ex(to.get(), name, 0, flags | XN_FLAG_SEP_CPLUS_SPC) < 0)
    return {};
  char* begin = nullptr;
  auto size = BIO_get_mem_data(to.get(), &begin);
  return {begin, static_cast<std::size_t>(std::max(size, 0L))};
}

std::string text_of(const ASN1_STRING* from) {
  unsigned char* utf8 = nullptr;
  auto size = ASN1_STRING_to_UTF8(&utf8, from);
  if (size < 0)
    return {};
  std::string result{reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size)};
  OPENSSL_free(utf8);
  return result;
}

std::string common_name(const X509* from) {
  const auto* subject = X509_get_subject_name(from);
  auto index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  return index < 0 ? std::string{}
                   : text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)));
}

std::string address_text(const ASN1_OCTET_STRING* from) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  auto family = ASN1_STRING_length(from) == 4 ? AF_INET : AF_INET6;
  if (ASN1_STRING_length(from) != 4 && ASN1_STRING_length(from) != 16)
    return {};
  const auto* bytes = ASN1_STRING_get0_data(from);
  return ::inet_ntop(family, bytes, text.data(), text.size()) == nullptr ? "" : text.data();
}

std::vector<std::string> hosts_of(const X509* from) {
  general_names_ptr all{
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(from, NID_subject_alt_name, nullptr, nullptr))};
  std::vector<std::string> result;
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    int kind = 0;
    const auto* what = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(all.get(), i), &kind);
    if (kind == GEN_DNS)
      result.push_back(text_of(static_cast<const ASN1_STRING*>(what)));
    else if (kind == GEN_IPADD)
      result.push_back(address_text(static_cast<const ASN1_OCTET_STRING*>(what)));
  }
  return result;
}

calendar_time time_of(const ASN1_TIME* from) {
  std::tm fields{};
  if (ASN1_TIME_to_tm(from, &fields) != 1)
    return {};
  return calendar_time{std::chrono::seconds{::timegm(&fields)}};
}

std::string serial_of(X509* from) {
  const auto* number = X509_get0_serialNumber(from);
  return hexadecimal(
      {ASN1_STRING_get0_data(number), static_cast<std::size_t>(ASN1_STRING_length(number))});
}

std::string fingerprint_of(const X509* from) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (X509_digest(from, EVP_sha256(), digest.data(), &size) != 1)
    return {};
  return hexadecimal({digest.data(), size});
}

} // namespace

bool is_node_name(std::string_view name) {
  constexpr std::size_t longest = 64; // X.520: ub-common-name
  return name.size() <= longest && has_name_characters(name);
}

bool is_cluster_name(std::string_view name) {
  constexpr std::size_t longest = 40; // leaves room for the random part of the CA's name
  return name.size() <= longest && has_name_characters(name);
}

bool is_host_or_address(std::string_view host) {
  constexpr std::size_t longest = 253; // RFC 1035, as text
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return (host.size() <= longest && has_name_characters(host))
         || ::inet_pton(AF_INET6, std::string{host}.c_str(), bytes.data()) == 1;
}

expected<certificate_facts> read_certificate(std::string_view pem) {
  auto x = certificate_from(pem);
  if (!x)
    return error{ec::refused, "holds no certificate in PEM form"};
  return facts_of(x.get());
}

certificate_facts openssl::facts_of(X509* x) {
  certificate_facts result;
  result.subject = text_of(X509_get_subject_name(x));
  result.issuer = text_of(X509_get_issuer_name(x));
  result.name = common_name(x);
  result.hosts = hosts_of(x);
  result.serial = serial_of(x);
  result.valid = {time_of(X509_get0_notBefore(x)), time_of(X509_get0_notAfter(x))};
  result.fingerprint = fingerprint_of(x);
  result.is_authority = X509_check_ca(x) == 1;
  ERR_clear_error();
  return result;
}

bool key_fits(std::string_view certificate, std::string_view key) {
  auto x = certificate_from(certificate);
  auto secret = key_from(key);
  auto result = x && secret && X509_check_private_key(x.get(), secret.get()) == 1;
  ERR_clear_error();
  return result;
}

bool is_signed_by(std::string_view certificate, std::string_view authority) {
  auto x = certificate_from(certificate);
  auto issuer = certificate_from(authority);
  auto* key = issuer ? X509_get0_pubkey(issuer.get()) : nullptr;
  auto result = x && key != nullptr && X509_verify(x.get(), key) == 1;
  ERR_clear_error();
  return result;
}

std::string date_text(calendar_time when) {
  auto seconds = static_cast<std::time_t>(when.time_since_epoch().count());
  std::tm fields{};
  ::gmtime_r(&seconds, &fields);
  std::array<char, 32> text{};
  auto size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &fields);
  return {text.data(), size};
}

calendar_time calendar_now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

} // namespace tune
