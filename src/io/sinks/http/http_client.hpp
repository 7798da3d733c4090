/// Requests by HTTP to services that sinks write to. Private to the sinks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Settings of a client.
struct http_client_settings {
  /// Added to each request: "Authorization: Bearer …".
  std::vector<std::string> headers;
  /// For basic authentication; both empty: none.
  std::string user;
  std::string password;
  /// File of certificates to trust; empty: the system's.
  std::string certificates;
  bool verifies_server = true;
  /// How long a request may still take; empty: no limit but its own.
  std::function<std::chrono::milliseconds()> time_left;
};

struct http_reply {
  long status = 0;
  std::string body;
};

/// Keeps its connection between requests. For one thread; blocks. Follows no redirection. Neither
/// errors nor notices name credentials.
class http_client {
public:
  explicit http_client(http_client_settings how);
  http_client(http_client&&) noexcept;
  ~http_client();

  /// Sends JSON. What may pass is tried three times within about two seconds.
  /// @returns replies with a status below 500 other than 429.
  /// @errors `ec::unreachable`: no connection, no answer in time, 429, 5xx.
  [[nodiscard]] expected<http_reply> post(const std::string& url, const std::string& json);
  /// @errors as `post`.
  [[nodiscard]] expected<http_reply> get(const std::string& url);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// Why `text` is no address that a client could call; empty if it is one. Addresses with a user or
/// a password in them are refused: they would be in records and messages.
[[nodiscard]] std::string why_no_url(std::string_view text);

/// The text for one part of a URL.
[[nodiscard]] std::string url_escaped(std::string_view text);

/// A variable of this process's environment; empty if it is not set.
[[nodiscard]] std::string environment_text(const char* name);

} // namespace tune
