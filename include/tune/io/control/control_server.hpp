/// Serves an experiment's control socket in a separate thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/control/control_words.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tune {

/// Takes the answer to a request: one line, without its end. May be called from any thread, at most
/// once, even after the client or the server is gone.
using control_reply = std::function<void(std::string)>;
/// Carries out a request and replies, now or later. Called from the server's thread.
using control_handler = std::function<void(const control_request&, control_reply)>;

/// Listens until it is destroyed, which removes the socket. Serves only the process's own user and
/// root, identified by the kernel.
///
/// Memory is bounded, and other threads are not delayed, however many clients there are and
/// whatever they send: beyond `most_control_clients`, the client that has idled longest is
/// disconnected.
class control_server {
public:
  /// @param experiment The experiment's directory, whose lock the caller holds.
  /// @errors as `open_control`.
  [[nodiscard]] static expected<std::unique_ptr<control_server>>
  start(const std::filesystem::path& experiment, control_handler handler);

  control_server(const control_server&) = delete;
  control_server& operator=(const control_server&) = delete;
  ~control_server();

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit control_server(std::unique_ptr<impl> parts);
};

/// Maximum number of clients connected at the same time.
inline constexpr std::size_t most_control_clients = 32;

} // namespace tune
