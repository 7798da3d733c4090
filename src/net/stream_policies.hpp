/// How connections read and write: in TLS, or plain. Private to net.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "port_connections.hpp"

#include "tune/io/certificates/tls_session.hpp"
#include "tune/net/caf_streams.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace tune::detail {

/// TLS in the form that CAF's stream expects.
class tls_policy {
public:
  /// @param whose Must outlive the policy's use.
  tls_policy(tls_session x, connection_pass& whose)
      : session_{std::make_shared<tls_session>(std::move(x))}, whose_{&whose} {
    session_->read_in_bulk();
  }

  caf::io::network::rw_state read_some(std::size_t& count, caf::io::network::native_socket,
                                       void* to, std::size_t size) {
    auto result = session_->read(to, size, count);
    is_dry_ = count == 0;
    if (count > 0)
      whose_->heard([this] {
        return shown_certificate{session_->fingerprint_of_peer(), session_->certificate_of_peer()};
      });
    return state_of(result, caf::io::network::rw_state::success);
  }
  caf::io::network::rw_state write_some(std::size_t& count, caf::io::network::native_socket,
                                        const void* from, std::size_t size) {
    auto result = session_->write(from, size, count);
    whose_->wrote(size - count);
    // With nothing to write, it waits for the peer.
    return state_of(result, size == 0 ? caf::io::network::rw_state::indeterminate
                                      : caf::io::network::rw_state::success);
  }
  bool must_read_more(caf::io::network::native_socket, std::size_t threshold) {
    return session_->pending() >= threshold;
  }
  [[nodiscard]] bool is_ready() const { return session_->is_shaken(); }
  [[nodiscard]] bool wants_write() const { return session_->wants_write(); }
  [[nodiscard]] bool has_more() const { return !is_dry_ && session_->has_more(); }

  [[nodiscard]] std::function<std::string()> shown() const {
    return [session = session_] { return session->subject_of_peer(); };
  }

private:
  std::shared_ptr<tls_session> session_;
  connection_pass* whose_;
  /// Whether the last read brought nothing.
  bool is_dry_ = true;

  static caf::io::network::rw_state state_of(tls_session::outcome what,
                                             caf::io::network::rw_state otherwise) {
    return what == tls_session::outcome::over ? caf::io::network::rw_state::failure : otherwise;
  }
};

/// Plain TCP in the form that CAF's stream expects.
class plain_policy {
public:
  explicit plain_policy(connection_pass& whose) : whose_{&whose} {}

  caf::io::network::rw_state read_some(std::size_t& count, caf::io::network::native_socket socket,
                                       void* to, std::size_t size) {
    auto result = tcp_.read_some(count, socket, to, size);
    if (result == caf::io::network::rw_state::success && count > 0)
      whose_->heard([] { return shown_certificate{}; });
    return result;
  }
  caf::io::network::rw_state write_some(std::size_t& count, caf::io::network::native_socket socket,
                                        const void* from, std::size_t size) {
    auto result = tcp_.write_some(count, socket, from, size);
    whose_->wrote(result == caf::io::network::rw_state::success ? size - count : size);
    return result;
  }
  bool must_read_more(caf::io::network::native_socket socket, std::size_t threshold) {
    return tcp_.must_read_more(socket, threshold);
  }
  [[nodiscard]] static bool is_ready() { return true; }
  [[nodiscard]] static bool wants_write() { return false; }
  [[nodiscard]] static bool has_more() { return false; }
  /// A plain peer shows no certificate.
  [[nodiscard]] static std::function<std::string()> shown() {
    return [] { return std::string{}; };
  }

private:
  caf::policy::tcp tcp_;
  connection_pass* whose_;
};

} // namespace tune::detail
