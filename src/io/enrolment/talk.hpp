/// Lines over TLS with a deadline, and the words of an enrolment. Private to io.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/certificates/certificate.hpp"
#include "tune/io/certificates/join_token.hpp"
#include "tune/io/certificates/tls_session.hpp"
#include "tune/io/probe/probe.hpp"

#include <string>
#include <string_view>

namespace tune::enrolment {

/// Largest line, in either direction. [bytes]
inline constexpr std::size_t longest_line = 16 * 1024;

/// What a machine wishes.
struct wish {
  join_token token;
  node_names whom;
  /// Request for a certificate of its key, in PEM form.
  std::string request;
};

/// What it gets.
struct grant {
  std::string certificate;
  std::string authority;
};

[[nodiscard]] std::string to_json(const wish& x);
[[nodiscard]] expected<wish> wish_from_json(std::string_view text);
[[nodiscard]] std::string to_json(const expected<grant>& x);
/// @errors `ec::refused` with the server's reason; `ec::bad_syntax`, `ec::bad_option`.
[[nodiscard]] expected<grant> grant_from_json(std::string_view text);

/// Completes the handshake. @errors `ec::unreachable`.
[[nodiscard]] expected<void> shake(tls_session& over, int socket, probe_deadline until);
/// Sends a line; its end is added. @errors `ec::unreachable`.
[[nodiscard]] expected<void> say(tls_session& over, int socket, const std::string& line,
                                 probe_deadline until);
/// Receives a line, without its end. @errors `ec::unreachable`; `ec::protocol` if it is too long.
[[nodiscard]] expected<std::string> hear(tls_session& over, int socket, probe_deadline until);

} // namespace tune::enrolment
