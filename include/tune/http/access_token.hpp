/// The token that opens a server, the cookie of a page, and how many wrong ones may be tried.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/http/messages.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tune::http {

/// Random bytes of a token, each two hexadecimal digits.
inline constexpr std::size_t token_bytes = 32;

/// Whether a text has the form of a token: so many lower-case hexadecimal digits.
[[nodiscard]] bool is_token(std::string_view text);

/// How long the cookie of a page is good for.
inline constexpr std::chrono::hours cookie_lifetime{24 * 7};

/// A cookie that stands for the token, and does not tell it. It is worth nothing once the token has
/// changed. @param now Unix time.
[[nodiscard]] std::string cookie_for(const std::string& token, std::chrono::seconds now);
/// Whether `cookie_for` made this of `token`, at most `cookie_lifetime` ago.
[[nodiscard]] bool is_cookie_for(std::string_view cookie, const std::string& token,
                                 std::chrono::seconds now);

/// The value of a cookie of this name; nothing if there is none, or several.
[[nodiscard]] std::optional<std::string> cookie_in(const header_list& headers,
                                                   std::string_view name);

/// What follows "Bearer "; nothing without it.
[[nodiscard]] std::optional<std::string> bearer_in(const header_list& headers);

/// How a request shows that it may.
enum class credential : std::uint8_t {
  none,
  /// It shows something else than the token.
  wrong,
  /// The cookie alone, which a browser sends without being asked.
  cookie,
  /// The token, or the cookie with a header that no form can send.
  full
};

/// What a request shows. @param cookie Name of the cookie.
[[nodiscard]] credential credential_of(const header_list& headers, std::string_view cookie,
                                       const std::string& token, std::chrono::seconds now);

/// Counts wrong tokens, so that a program which goes on with one is told to wait: after `burst` of
/// them, all but one a second. It bounds no guessing, which `token_bytes` does: a right token
/// counts at any time, and whoever has it cannot be locked out by others.
class failed_tries {
public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr int burst = 20;

  /// Takes a wrong try into account. @returns whether there were too many.
  [[nodiscard]] bool note(time_point now);

private:
  double left_ = burst;
  std::optional<time_point> since_;
};

} // namespace tune::http
