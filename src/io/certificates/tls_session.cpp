// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/certificates/tls_session.hpp"

#include "openssl.hpp"
#include "tls_context.hpp"

#include "tune/io/certificates/openssl_errors.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

namespace tune {

namespace {

bool may_pass(int fault) {
  return fault == EAGAIN || fault == EWOULDBLOCK || fault == EINTR;
}

/// The socket below a session.
struct stream_end {
  int socket = -1;
  /// Whether OpenSSL asks for more than it needs, so that a short answer means that no more is
  /// there.
  bool in_bulk = false;
  /// Whether the last call has taken everything.
  bool is_drained = false;
};

stream_end& end_of(BIO* x) {
  return *static_cast<stream_end*>(BIO_get_data(x));
}

// The socket stream of OpenSSL itself writes by a call that raises SIGPIPE.
int send_some(BIO* x, const char* from, int size) {
  BIO_clear_retry_flags(x);
  auto count = ::send(end_of(x).socket, from, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (count < 0 && may_pass(errno))
    BIO_set_retry_write(x);
  return static_cast<int>(count);
}

int receive_some(BIO* x, char* to, int size) {
  auto& end = end_of(x);
  BIO_clear_retry_flags(x);
  // Spares the call that would only say so.
  if (std::exchange(end.is_drained, false)) {
    BIO_set_retry_read(x);
    errno = EAGAIN;
    return -1;
  }
  auto count = ::recv(end.socket, to, static_cast<std::size_t>(size), 0);
  if (count < 0 && may_pass(errno))
    BIO_set_retry_read(x);
  end.is_drained = end.in_bulk && count > 0 && count < size;
  return static_cast<int>(count);
}

int drop_end(BIO* x) {
  delete static_cast<stream_end*>(BIO_get_data(x));
  BIO_set_data(x, nullptr);
  return 1;
}

long control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* socket_stream() {
  static auto* const result = [] {
    auto* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket of tune-node");
    BIO_meth_set_write(made, send_some);
    BIO_meth_set_read(made, receive_some);
    BIO_meth_set_ctrl(made, control);
    BIO_meth_set_destroy(made, drop_end);
    return made;
  }();
  return result;
}

int capped(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
}

} // namespace

class tls_session::impl {
public:
  explicit impl(openssl::session_ptr session) : session_{std::move(session)} {}

  outcome read(void* to, std::size_t size, std::size_t& count) {
    count = 0;
    if (auto shaken = shake(); shaken != outcome::done)
      return shaken;
    return of(SSL_read(session_.get(), to, capped(size)), count);
  }
  outcome write(const void* from, std::size_t size, std::size_t& count) {
    count = 0;
    if (auto shaken = shake(); shaken != outcome::done || size == 0)
      return shaken;
    return of(SSL_write(session_.get(), from, capped(size)), count);
  }
  [[nodiscard]] std::string subject_of_peer() const {
    if (SSL_is_init_finished(session_.get()) != 1)
      return {};
    openssl::x509_ptr shown{SSL_get1_peer_certificate(session_.get())};
    openssl::bio_ptr text{BIO_new(BIO_s_mem())};
    if (!shown || !text
        || X509_NAME_print_ex(text.get(), X509_get_subject_name(shown.get()), 0, XN_FLAG_RFC2253)
               < 0)
      return {};
    char* begin = nullptr;
    auto size = BIO_get_mem_data(text.get(), &begin);
    return {begin, static_cast<std::size_t>(size)};
  }
  [[nodiscard]] std::optional<certificate_facts> certificate_of_peer() const {
    openssl::x509_ptr peer{SSL_get1_peer_certificate(session_.get())};
    return peer ? std::optional{openssl::facts_of(peer.get())} : std::nullopt;
  }
  [[nodiscard]] std::size_t pending() const {
    return static_cast<std::size_t>(std::max(SSL_pending(session_.get()), 0));
  }

  void read_in_bulk() {
    SSL_set_read_ahead(session_.get(), 1);
    // An idle connection needs no buffers.
    SSL_set_mode(session_.get(), SSL_MODE_RELEASE_BUFFERS);
    end_of(SSL_get_rbio(session_.get())).in_bulk = true;
  }
  [[nodiscard]] bool has_more() const { return SSL_has_pending(session_.get()) == 1; }
  [[nodiscard]] bool is_shaken() const { return SSL_is_init_finished(session_.get()) == 1; }
  [[nodiscard]] bool wants_write() const { return SSL_want_write(session_.get()); }

  [[nodiscard]] std::string fingerprint_of_peer() const {
    openssl::x509_ptr peer{SSL_get1_peer_certificate(session_.get())};
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (!peer || X509_digest(peer.get(), EVP_sha256(), digest.data(), &size) != 1)
      return {};
    return {digest.begin(), digest.begin() + size};
  }

private:
  /// Keeps its settings.
  openssl::session_ptr session_;

  outcome shake() {
    forget_tls_errors();
    if (SSL_is_init_finished(session_.get()) == 1)
      return outcome::done;
    std::size_t ignored = 0;
    return of(SSL_do_handshake(session_.get()), ignored);
  }

  outcome of(int result, std::size_t& count) {
    if (result > 0) {
      count = static_cast<std::size_t>(result);
      return outcome::done;
    }
    auto why = SSL_get_error(session_.get(), result);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? outcome::later
                                                                     : outcome::over;
  }
};

expected<tls_session> tls_session::begin(const tls_files& files, int socket, side which) {
  auto context = which == side::accepts ? make_server_context(files) : make_client_context(files);
  if (!context)
    return context.error();
  return over(context->get(), socket, which);
}

expected<tls_session> tls_session::over(ssl_ctx_st* settings, int socket, side which) {
  openssl::session_ptr session{SSL_new(settings)};
  auto* stream = BIO_new(socket_stream());
  if (!session || stream == nullptr) {
    BIO_free(stream);
    return openssl::failure("begin with TLS");
  }
  BIO_set_data(stream, std::make_unique<stream_end>(stream_end{socket}).release());
  BIO_set_init(stream, 1);
  SSL_set_bio(session.get(), stream, stream);
  // The caller may retry with fewer bytes, or from another address.
  SSL_set_mode(session.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  which == side::accepts ? SSL_set_accept_state(session.get())
                         : SSL_set_connect_state(session.get());
  return tls_session{std::make_unique<impl>(std::move(session))};
}

tls_session::tls_session(std::unique_ptr<impl> what) : impl_{std::move(what)} {}
tls_session::tls_session(tls_session&&) noexcept = default;
tls_session& tls_session::operator=(tls_session&&) noexcept = default;
tls_session::~tls_session() = default;

tls_session::outcome tls_session::read(void* to, std::size_t size, std::size_t& count) {
  return impl_->read(to, size, count);
}

tls_session::outcome tls_session::write(const void* from, std::size_t size, std::size_t& count) {
  return impl_->write(from, size, count);
}

std::string tls_session::subject_of_peer() const {
  return impl_->subject_of_peer();
}

std::optional<certificate_facts> tls_session::certificate_of_peer() const {
  return impl_->certificate_of_peer();
}

std::size_t tls_session::pending() const {
  return impl_->pending();
}

void tls_session::read_in_bulk() {
  impl_->read_in_bulk();
}

bool tls_session::has_more() const {
  return impl_->has_more();
}

bool tls_session::is_shaken() const {
  return impl_->is_shaken();
}

bool tls_session::wants_write() const {
  return impl_->wants_write();
}

std::string tls_session::fingerprint_of_peer() const {
  return impl_->fingerprint_of_peer();
}

} // namespace tune
