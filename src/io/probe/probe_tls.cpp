// Performs the handshake with OpenSSL between two buffers in memory, so that each step has a
// deadline, no signal is raised, and the first bytes of the peer can be examined.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/probe/probe.hpp"

#include "certificates/openssl.hpp"
#include "certificates/tls_context.hpp"
#include "connection.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <array>
#include <optional>

namespace tune {
namespace {

using namespace openssl;

/// The fault found in the peer's certificate.
struct objection {
  int code = X509_V_OK;
  std::string subject;
  std::string issuer;
  validity_span valid{};
};

/// A certificate as PEM, for `read_certificate`.
std::string pem_of(X509* x) {
  bio_ptr to{BIO_new(BIO_s_mem())};
  char* begin = nullptr;
  if (!to || PEM_write_bio_X509(to.get(), x) != 1)
    return {};
  auto size = BIO_get_mem_data(to.get(), &begin);
  return {begin, static_cast<std::size_t>(size)};
}

/// Called by OpenSSL for each certificate of the peer's chain; notes the first objection.
int note_objection(int fine, X509_STORE_CTX* check) {
  fine = check_revocation(fine, check);
  if (fine == 1)
    return 1;
  auto* session
      = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(check, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* note = session == nullptr ? nullptr : static_cast<objection*>(SSL_get_app_data(session));
  if (note == nullptr || note->code != X509_V_OK)
    return 0;
  note->code = X509_STORE_CTX_get_error(check);
  if (auto* x = X509_STORE_CTX_get_current_cert(check))
    if (auto facts = read_certificate(pem_of(x))) {
      note->subject = facts->subject;
      note->issuer = facts->issuer;
      note->valid = facts->valid;
    }
  return 0;
}

probe_result objected(const peer_address& whom, const objection& x) {
  auto who = "its certificate (" + x.subject + ") ";
  switch (x.code) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return failed(whom, probe_outcome::peer_expired,
                    who + "expired on " + date_text(x.valid.until));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return failed(whom, probe_outcome::peer_not_yet_valid,
                    who + "is valid only from " + date_text(x.valid.from)
                        + "; are the clocks of both machines right?");
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_UNTRUSTED:
      if (x.subject == x.issuer)
        who = "its certificate ";
      return failed(whom, probe_outcome::peer_is_foreign,
                    who + "is of another CA (" + x.issuer + "): it belongs to another cluster");
    case X509_V_ERR_CERT_REVOKED:
      return failed(whom, probe_outcome::peer_unfit, who + "was revoked");
    default:
      return failed(whom, probe_outcome::peer_unfit,
                    who + "is not accepted: " + X509_verify_cert_error_string(x.code));
  }
}

/// Interprets the peer's alert by the reason that OpenSSL queued for it; empty if it is not an
/// alert.
std::optional<probe_result> alerted(const peer_address& whom, int reason) {
  auto refused = [&whom](probe_outcome what, const char* why) {
    return failed(whom, what, std::string{"the peer refused our certificate: "} + why);
  };
  switch (reason) {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR: // a CA of the same name, but with another key
      return refused(probe_outcome::we_are_foreign,
                     "it is of another CA than the peer's, of another cluster");
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return refused(probe_outcome::we_expired,
                     "by the peer's clock it has expired or is not valid yet");
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return failed(whom, probe_outcome::certificate_required,
                    "the peer wants a certificate, and got none");
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
      return refused(probe_outcome::we_are_unfit, "it was revoked");
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      return refused(probe_outcome::we_are_unfit,
                     ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, reason)));
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_UNSUPPORTED_PROTOCOL:
      return failed(whom, probe_outcome::tls_failed, "the peer does not speak TLS 1.3");
    default:
      return std::nullopt;
  }
}

/// Performs one handshake and waits for the peer's first byte.
class tls_probe {
public:
  tls_probe(const peer_address& whom, unique_fd socket, probe_deadline until)
      : whom_{whom}, socket_{std::move(socket)}, until_{until} {}

  probe_result run(SSL_CTX* context) {
    if (!begin(context))
      return failed(whom_, probe_outcome::local_fault, failure("begin with TLS").detail);
    if (auto fault = pump([this] { return SSL_do_handshake(session_.get()); }))
      return *fault;
    is_shaken_ = true;
    std::array<char, 1> byte{};
    if (auto fault = pump([&] { return SSL_read(session_.get(), byte.data(), 1); }))
      return *fault;
    SSL_shutdown(session_.get()); // a clean end; it does not matter whether it arrives
    (void)flush();
    return {};
  }

private:
  const peer_address& whom_;
  unique_fd socket_;
  probe_deadline until_;
  session_ptr session_;
  /// Input and output buffer of OpenSSL, owned by the session.
  BIO* in_ = nullptr;
  BIO* out_ = nullptr;
  objection note_;
  bool is_shaken_ = false;
  bool has_heard_ = false;

  bool begin(SSL_CTX* context) {
    session_.reset(SSL_new(context));
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    if (!session_ || in_ == nullptr || out_ == nullptr) {
      BIO_free_all(in_);
      BIO_free_all(out_);
      return false;
    }
    SSL_set_bio(session_.get(), in_, out_);
    SSL_set_app_data(session_.get(), &note_);
    SSL_set_verify(session_.get(), SSL_VERIFY_PEER, note_objection);
    SSL_set_connect_state(session_.get());
    return true;
  }

  /// Repeats a step of OpenSSL until it succeeds, and moves bytes between it and the socket. Empty
  /// on success.
  template <class Step>
  std::optional<probe_result> pump(Step step) {
    for (;;) {
      ERR_clear_error();
      auto result = step();
      auto what = SSL_get_error(session_.get(), result);
      auto reason = ERR_GET_REASON(ERR_peek_error());
      auto sent = flush(); // sends alerts of this side, too
      if (result == 1)
        return std::nullopt;
      if (what != SSL_ERROR_WANT_READ && what != SSL_ERROR_WANT_WRITE)
        return explain(what, reason);
      if (sent == transfer::timed_out)
        return too_late();
      // If sending failed, the peer may have sent the reason before it hung up.
      if (auto fault = listen())
        return fault;
    }
  }

  transfer flush() {
    char* begin = nullptr;
    auto size = BIO_get_mem_data(out_, &begin);
    if (size <= 0)
      return transfer::done;
    auto result = send_all(socket_, {begin, static_cast<std::size_t>(size)}, until_);
    (void)BIO_reset(out_);
    return result;
  }

  std::optional<probe_result> listen() {
    std::array<char, 4096> bytes{};
    std::size_t size = 0;
    switch (receive(socket_, bytes, size, until_)) {
      case transfer::timed_out:
        return too_late();
      case transfer::closed:
        return hung_up();
      case transfer::done:
        break;
    }
    if (!std::exchange(has_heard_, true) && !is_tls(bytes[0]))
      return failed(whom_, probe_outcome::not_tls, "the peer does not speak TLS");
    BIO_write(in_, bytes.data(), static_cast<int>(size));
    return std::nullopt;
  }

  /// Whether the first byte begins a TLS record of a server: an alert or a handshake.
  static bool is_tls(char first) { return first == 21 || first == 22; }

  [[nodiscard]] probe_result too_late() const {
    const auto* why = is_shaken_   ? "shook hands, but said nothing in time"
                      : has_heard_ ? "did not finish the TLS handshake in time"
                                   : "no answer to the TLS handshake in time";
    return failed(whom_, probe_outcome::timed_out, why);
  }

  [[nodiscard]] probe_result hung_up() const {
    const auto* why = is_shaken_
                          ? "hung up after the TLS handshake without a word; it may not like our "
                            "certificate"
                          : "hung up during the TLS handshake without a word";
    return failed(whom_, probe_outcome::closed, why);
  }

  [[nodiscard]] probe_result explain(int what, int reason) const {
    if (note_.code != X509_V_OK)
      return objected(whom_, note_);
    if (what == SSL_ERROR_ZERO_RETURN)
      return hung_up();
    if (auto told = alerted(whom_, reason))
      return *told;
    const auto* text = ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, reason));
    return failed(whom_, probe_outcome::tls_failed,
                  std::string{"the TLS handshake failed: "} + (text == nullptr ? "?" : text));
  }
};

} // namespace

probe_result probe_tls(const peer_address& whom, const own_certificate& identity,
                       probe_deadline until) {
  auto context = make_client_context(identity.files);
  if (!context)
    return failed(whom, probe_outcome::local_fault, to_text(context.error()));
  auto connected = connect_to(whom, until);
  if (auto* fault = std::get_if<probe_result>(&connected))
    return std::move(*fault);
  auto result
      = tls_probe{whom, std::move(std::get<unique_fd>(connected)), until}.run(context->get());
  ERR_clear_error();
  return result;
}

} // namespace tune
