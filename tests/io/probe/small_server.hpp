/// A server for one connection, on a thread of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/certificates/own_certificate.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace tune::samples {

/// Listens at a free port of 127.0.0.1 until the end of its life.
class small_server {
public:
  /// @param serve Serves the connection, which is closed afterwards. If it reads, it waits at most
  /// until the client hangs up.
  explicit small_server(std::function<void(int)> serve);
  ~small_server();
  small_server(const small_server&) = delete;
  small_server& operator=(const small_server&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

private:
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

/// Behaviour of a TLS server.
struct tls_manners {
  tls_files files;
  bool wants_certificate = true;
  /// Sent after the handshake.
  std::string greeting = "x";
  /// Newest protocol version that it speaks; 0: no limit.
  int newest_protocol = 0;
};

/// Shakes hands, sends the greeting and waits until the client hangs up.
[[nodiscard]] std::function<void(int)> tls_service(tls_manners manners);

/// Sends `text`, then waits until the client hangs up.
[[nodiscard]] std::function<void(int)> plain_service(std::string text);

/// A port of 127.0.0.1 that is bound, but nobody listens there as long as this object lives.
class closed_port {
public:
  closed_port();
  ~closed_port();
  closed_port(const closed_port&) = delete;
  closed_port& operator=(const closed_port&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

/// A listener whose queue is full: the kernel answers no further connection.
class full_listener {
public:
  full_listener();
  ~full_listener();
  full_listener(const full_listener&) = delete;
  full_listener& operator=(const full_listener&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

private:
  int listener_ = -1;
  int waiting_ = -1;
  std::uint16_t port_ = 0;
};

} // namespace tune::samples
