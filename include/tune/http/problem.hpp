/// What went wrong with a request, for clients: RFC 9457.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/http/messages.hpp"

#include <string>

namespace tune::http {

struct problem {
  unsigned status = 500;
  /// For programs: "not_found", "bad_option", …
  std::string code;
  /// For people.
  std::string detail;
  /// With status 405: the methods that there are.
  std::string allowed = {};
};

/// The response for it: `application/problem+json` with type, title, status, detail, code. Texts
/// are made printable. Those after which
/// nothing sensible can be expected of a client, such as 400, 403 and 413, close the connection.
[[nodiscard]] response to_response(const problem& what);

/// The problem that an error of this program is.
[[nodiscard]] problem problem_of(const error& why);

/// A response of JSON text.
[[nodiscard]] response json_response(std::string body, unsigned status = 200);

} // namespace tune::http
