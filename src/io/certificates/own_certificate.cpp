// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/own_certificate.hpp"

#include "openssl.hpp"
#include "small_files.hpp"
#include "tls_context.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/certificates/certificate_directory.hpp"

#include <array>

namespace tune {
namespace {

namespace fs = std::filesystem;
using openssl::certificate_from;

error refused(const fs::path& file, const std::string& why) {
  return {ec::refused, file.string() + ": " + why};
}

/// A hint for errors: the commands that make the missing files.
std::string remedy(const tls_files& files) {
  auto directory = files.certificate.parent_path();
  auto where = directory == default_certificate_directory()
                   ? std::string{}
                   : " --certs " + (directory.empty() ? "." : directory.string());
  return "; make certificates with: " + program_call("certs init" + where)
         + " (on the machine of the CA), and for every other node there with: "
         + program_call("certs issue NAME --out DIR" + where);
}

struct loaded_texts {
  std::string certificate;
  std::string key;
  std::string authority;
};

/// Reads all three files. A missing file is reported before faults of the others.
expected<loaded_texts> load_texts(const tls_files& files) {
  const std::array<const fs::path*, 3> paths{&files.certificate, &files.key, &files.authority};
  for (const auto* x : paths)
    if (!is_taken(*x))
      return refused(*x, "there is no such file" + remedy(files));
  std::array<file_content, 3> read;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    auto content = read_small_file(*paths[i]);
    if (!content)
      return error{ec::refused,
                   content.error().detail
                       + (content.error().code == ec::unreadable ? remedy(files) : "")};
    read[i] = std::move(*content);
  }
  if (auto secret = check_secrecy(files.key, read[1]); !secret)
    return secret.error();
  return loaded_texts{std::move(read[0].text), std::move(read[1].text), std::move(read[2].text)};
}

expected<void> check_dates(const fs::path& file, const certificate_facts& facts,
                           calendar_time now) {
  if (now < facts.valid.from)
    return refused(file, "valid only from " + date_text(facts.valid.from)
                             + "; is this machine's clock right? It says " + date_text(now));
  if (now <= facts.valid.until)
    return {};
  return refused(file,
                 "expired on " + date_text(facts.valid.until)
                     + (facts.is_authority ? "; a new CA is made in a new directory: "
                                                 + program_call("certs init --certs DIR")
                                           : "; a new one, where the CA is: "
                                                 + program_call("certs issue NAME --out DIR")));
}

/// Runs the check that peers will make by OpenSSL on this certificate, for both roles.
expected<void> check_chain(const tls_files& files, const loaded_texts& texts, calendar_time now) {
  auto certificate = certificate_from(texts.certificate);
  auto authority = certificate_from(texts.authority);
  openssl::store_ptr trusted{X509_STORE_new()};
  if (!trusted || X509_STORE_add_cert(trusted.get(), authority.get()) != 1)
    return openssl::failure("check a certificate");
  for (auto purpose : {X509_PURPOSE_SSL_SERVER, X509_PURPOSE_SSL_CLIENT}) {
    openssl::verifier_ptr check{X509_STORE_CTX_new()};
    if (!check || X509_STORE_CTX_init(check.get(), trusted.get(), certificate.get(), nullptr) != 1
        || X509_STORE_CTX_set_purpose(check.get(), purpose) != 1)
      return openssl::failure("check a certificate");
    X509_STORE_CTX_set_time(check.get(), 0, now.time_since_epoch().count());
    if (X509_verify_cert(check.get()) != 1)
      return refused(files.certificate,
                     std::string{"not fit for a node: "}
                         + X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get())));
  }
  return {};
}

expected<void> check(const tls_files& files, const loaded_texts& texts,
                     const own_certificate& identity, calendar_time now) {
  if (openssl::count_certificates(texts.authority) != 1)
    return refused(files.authority,
                   "holds more than one certificate; a cluster has one CA of its own");
  if (!identity.authority.is_authority)
    return refused(files.authority, "not the certificate of a CA");
  if (!openssl::key_from(texts.key))
    return refused(files.key, "holds no private key in PEM form, or one that needs a passphrase");
  if (!key_fits(texts.certificate, texts.key))
    return refused(files.key, "does not belong to " + files.certificate.string());
  if (!is_signed_by(texts.certificate, texts.authority))
    return refused(files.certificate, "was not signed by the CA in " + files.authority.string());
  if (auto fine = check_dates(files.authority, identity.authority, now); !fine)
    return fine;
  if (auto fine = check_dates(files.certificate, identity.certificate, now); !fine)
    return fine;
  if (auto fine = check_chain(files, texts, now); !fine)
    return fine;
  if (auto context = make_client_context(files); !context)
    return context.error();
  return {};
}

} // namespace

expected<own_certificate> load_own_certificate(const tls_files& files, calendar_time now) {
  auto texts = load_texts(files);
  if (!texts)
    return texts.error();
  auto certificate = read_certificate(texts->certificate);
  if (!certificate)
    return refused(files.certificate, to_text(certificate.error()));
  auto authority = read_certificate(texts->authority);
  if (!authority)
    return refused(files.authority, to_text(authority.error()));
  own_certificate result{files, std::move(*certificate), std::move(*authority)};
  if (auto fine = check(files, *texts, result, now); !fine)
    return error{ec::refused, to_text(fine.error())};
  return result;
}

expected<own_certificate> load_own_certificate(const fs::path& directory, calendar_time now) {
  auto paths = certificate_paths_in(directory);
  return load_own_certificate(tls_files{paths.certificate, paths.key, paths.authority}, now);
}

std::string expiry_warning(const own_certificate& x, calendar_time now) {
  const auto ca_is_first = x.authority.valid.until <= x.certificate.valid.until;
  const auto& facts = ca_is_first ? x.authority : x.certificate;
  const auto left = facts.valid.until - now;
  if (left > expiry_notice)
    return {};
  const auto& file = ca_is_first ? x.files.authority : x.files.certificate;
  const auto when = left < std::chrono::seconds{0}
                        ? "expired on "
                        : "expires in "
                              + std::to_string(std::chrono::floor<std::chrono::days>(left).count())
                              + " days, on ";
  return file.string() + " " + when + date_text(facts.valid.until) + "; "
         + (ca_is_first ? "a new CA, in a new directory: " + program_call("certs init --certs DIR")
                        : "a new one, where the CA is: "
                              + program_call("certs issue " + x.certificate.name + " --out DIR"));
}

} // namespace tune
