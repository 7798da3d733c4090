/// Serves HTTP/1.1 at a port, with limits on everything that a client may do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/http/admission.hpp"
#include "tune/http/token_file.hpp"
#include "tune/io/certificates/own_certificate.hpp"
#include "tune/io/probe/peer_address.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune::http {

struct server_limits {
  /// Request line and header fields. [bytes]
  std::size_t head = 16 * 1024;
  std::size_t connections = 256;
  std::size_t requests_per_connection = 10'000;
  std::chrono::milliseconds head_time{10'000};
  std::chrono::milliseconds idle_time{60'000};
  /// Without progress while the body of a request comes, or a response goes.
  std::chrono::milliseconds stall_time{30'000};
  /// Threads that answer, and requests that may wait for them; of routes that are slow apart from
  /// the others.
  std::size_t threads = 4;
  std::size_t waiting = 256;
  /// A body of which more than this may come is large, and of those so many come at a time. [bytes]
  std::size_t large_body = 4 * 1024 * 1024;
  std::size_t large_bodies = 2;
};

/// Numbers about a server, for its own metrics.
struct server_counts {
  std::uint64_t connections = 0;
  /// Closed to make room.
  std::uint64_t evicted = 0;
};

/// Answers a request; called from several threads at once; may block. Exceptions become status 500.
using request_handler = std::function<response(const request& what, const route& where)>;
/// Told of each answer. Called from one thread; must not block.
using answer_listener
    = std::function<void(method what, const std::string& route_id, unsigned status)>;

struct server_settings {
  peer_address where;
  /// Ports to try after the first one, if that is taken.
  std::vector<std::uint16_t> further_ports;
  /// TLS with this certificate; nothing: plain text.
  std::optional<own_certificate> identity;
  std::vector<route> routes;
  /// Names besides those of the loopback interface and `where`.
  std::vector<std::string> names;
  /// Name of the cookie; the port is put after it, since browsers keep cookies for all ports.
  std::string cookie = "tune-node";
  std::shared_ptr<token_file> token;
  server_limits limits;
  request_handler answer;
  answer_listener answered;
};

/// A port that is served until this object is destroyed. One thread of its own speaks with all
/// clients; a few others answer.
class http_server {
public:
  /// Opens the port. Clients that come wait until `start`.
  /// @errors `ec::refused` if the port cannot be opened or a certificate cannot be used, naming it.
  [[nodiscard]] static expected<std::unique_ptr<http_server>> open(server_settings how);

  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;
  ~http_server();

  /// Begins to serve; to be called once. @errors `ec::shortage`.
  [[nodiscard]] expected<void> start();
  /// The address with the port that it got.
  [[nodiscard]] const peer_address& where() const;
  [[nodiscard]] const std::string& cookie() const;
  /// Whether it speaks TLS.
  [[nodiscard]] bool is_secure() const;
  [[nodiscard]] server_counts counts() const;
  /// Closes all connections. Waits for handlers that are at work.
  void stop();

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit http_server(std::unique_ptr<impl> parts);
};

} // namespace tune::http
