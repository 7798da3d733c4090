/// The head of a response as text. Private to the server.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/http/messages.hpp"

#include <ctime>
#include <string>
#include <string_view>

namespace tune::http {

/// How the body of a response ends.
enum class body_end : std::uint8_t { none, length, chunks, connection };

/// Sent with every response. The page may load, and talk to, nothing but this server.
inline constexpr std::string_view safety_fields
    = "X-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
      "img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'\r\n";

/// Text without what would end a header field.
inline std::string field_text(std::string_view text) {
  std::string result;
  for (const auto c : text)
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)
      result += c;
  return result;
}

inline std::string date_text() {
  const auto now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  static constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* months[]
      = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  char rest[32] = {};
  std::strftime(rest, sizeof rest, "%Y %H:%M:%S GMT", &parts);
  const auto day = std::to_string(parts.tm_mday);
  return std::string{days[parts.tm_wday]} + ", " + (day.size() < 2 ? "0" : "") + day + " "
         + months[parts.tm_mon] + " " + rest;
}

/// @param size Length of the body, if it ends by that.
inline std::string head_text(const response& what, body_end end, std::uint64_t size, bool closes) {
  auto result = "HTTP/1.1 " + std::to_string(what.status) + " "
                + std::string{reason_of(what.status)} + "\r\nDate: " + date_text() + "\r\n";
  for (const auto& x : what.headers.all())
    result += field_text(x.name) + ": " + field_text(x.value) + "\r\n";
  result += safety_fields;
  if (end == body_end::length)
    result += "Content-Length: " + std::to_string(size) + "\r\n";
  if (end == body_end::chunks)
    result += "Transfer-Encoding: chunked\r\n";
  if (closes)
    result += "Connection: close\r\n";
  return result + "\r\n";
}

/// One chunk of a body in chunks.
inline std::string chunk_of(std::string_view bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string size;
  for (auto rest = bytes.size(); rest > 0; rest /= 16)
    size.insert(size.begin(), digits[rest % 16]);
  return size + "\r\n" + std::string{bytes} + "\r\n";
}

} // namespace tune::http
