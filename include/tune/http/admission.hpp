/// Decides about a request by its head alone, before any of its body is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/http/access_token.hpp"
#include "tune/http/host_guard.hpp"
#include "tune/http/problem.hpp"
#include "tune/http/router.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace tune::http {

/// The head of a request as it came.
struct request_head {
  std::string method;
  std::string target;
  header_list headers;
};

/// It may go on.
struct admitted {
  request what;
  const route* where = nullptr;
  /// Whether it showed the token.
  bool is_proven = false;
};
/// The token may have changed: read it again, and ask once more.
struct token_in_doubt {};

using admission = std::variant<admitted, problem, token_in_doubt>;

/// The rules of a server. Everything is refused that is not allowed: a route that needs the token,
/// a method that changes something, a Host that is not known.
class doorman {
public:
  /// @param cookie Name of the cookie.
  doorman(router routes, host_guard guard, std::string cookie);

  /// @param token The server's. @param is_sure Whether it was read a moment ago.
  [[nodiscard]] admission admit(const request_head& head, const std::string& token, bool is_sure,
                                std::chrono::seconds unix_now,
                                std::chrono::steady_clock::time_point now);

  [[nodiscard]] const router& routes() const { return routes_; }
  [[nodiscard]] const std::string& cookie() const { return cookie_; }

private:
  router routes_;
  host_guard guard_;
  std::string cookie_;
  failed_tries failed_;

  [[nodiscard]] std::optional<problem> bar(credential shown, const route& where,
                                           std::chrono::steady_clock::time_point now);
};

/// Checks how long the body is said to be. @errors `ec::bad_syntax` if the head contradicts itself.
/// @returns the problem; nothing if the route takes it.
[[nodiscard]] std::optional<problem> check_body_fields(const header_list& headers,
                                                       const route& where);

} // namespace tune::http
