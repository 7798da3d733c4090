/// Serves an experiment's control socket from a thread of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/control/control_words.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tune {

/// Takes one line, without its end, as the answer to a request; from any thread, at most once, also
/// when the client or the server is gone.
using control_reply = std::function<void(std::string)>;
/// Carries out a request and replies, now or later. Called from the server's thread.
using control_handler = std::function<void(const control_request&, control_reply)>;

/// Listens until it is destroyed; then it leaves nothing behind. Only the process's own user, and
/// root, are heard, as the kernel tells who they are.
///
/// However many clients there are and whatever they say, it takes bounded memory and nobody else's
/// time: beyond `most_control_clients` the one that idles longest has to go.
class control_server {
public:
  /// @param experiment Its directory, which the caller holds the lock of.
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

/// Clients that are connected at a time.
inline constexpr std::size_t most_control_clients = 32;

} // namespace tune
