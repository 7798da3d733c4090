// SPDX-License-Identifier: BSD-3-Clause
#include "small_server.hpp"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <array>
#include <memory>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tune::samples {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return result;
}

/// Makes a socket bound to a free port.
int bound_socket(std::uint16_t& port) {
  auto result = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto where = loopback(0);
  socklen_t size = sizeof where;
  EXPECT_EQ(::bind(result, reinterpret_cast<sockaddr*>(&where), size), 0);
  EXPECT_EQ(::getsockname(result, reinterpret_cast<sockaddr*>(&where), &size), 0);
  port = ntohs(where.sin_port);
  return result;
}

/// Blocks SIGPIPE, so that a write to a client that is gone only fails. This thread alone: the
/// client has to handle SIGPIPE itself.
void block_sigpipe() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void wait_for_end(int connection) {
  std::array<char, 512> bytes{};
  while (::recv(connection, bytes.data(), bytes.size(), 0) > 0) {}
}

} // namespace

small_server::small_server(std::function<void(int)> serve) {
  listener_ = bound_socket(port_);
  EXPECT_EQ(::listen(listener_, 1), 0);
  thread_ = std::thread{[this, serve = std::move(serve)] {
    block_sigpipe();
    auto connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0)
      return; // no client came
    serve(connection);
    ::close(connection);
  }};
}

small_server::~small_server() {
  ::shutdown(listener_, SHUT_RDWR); // wakes `accept`
  thread_.join();
  ::close(listener_);
}

std::function<void(int)> tls_service(tls_manners manners) {
  return [manners = std::move(manners)](int connection) {
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_server_method()),
                                                              SSL_CTX_free};
    auto* x = context.get();
    EXPECT_EQ(SSL_CTX_use_certificate_file(x, manners.files.certificate.c_str(), SSL_FILETYPE_PEM),
              1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(x, manners.files.key.c_str(), SSL_FILETYPE_PEM), 1);
    EXPECT_EQ(SSL_CTX_load_verify_file(x, manners.files.authority.c_str()), 1);
    if (manners.wants_certificate)
      SSL_CTX_set_verify(x, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    if (manners.newest_protocol != 0)
      SSL_CTX_set_max_proto_version(x, manners.newest_protocol);
    std::unique_ptr<SSL, decltype(&SSL_free)> session{SSL_new(x), SSL_free};
    SSL_set_fd(session.get(), connection);
    if (SSL_accept(session.get()) == 1 && !manners.greeting.empty())
      SSL_write(session.get(), manners.greeting.data(), static_cast<int>(manners.greeting.size()));
    else
      ::shutdown(connection, SHUT_WR);
    wait_for_end(connection);
  };
}

std::function<void(int)> plain_service(std::string text) {
  return [text = std::move(text)](int connection) {
    EXPECT_EQ(::send(connection, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    wait_for_end(connection);
  };
}

closed_port::closed_port() {
  socket_ = bound_socket(port_);
}

closed_port::~closed_port() {
  ::close(socket_);
}

full_listener::full_listener() {
  listener_ = bound_socket(port_);
  EXPECT_EQ(::listen(listener_, 0), 0);
  // The queue has room for one connection more than asked for.
  waiting_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto where = loopback(port_);
  EXPECT_EQ(::connect(waiting_, reinterpret_cast<sockaddr*>(&where), sizeof where), 0);
}

full_listener::~full_listener() {
  ::close(waiting_);
  ::close(listener_);
}

} // namespace tune::samples
