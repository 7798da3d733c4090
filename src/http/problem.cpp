// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/problem.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/json.hpp"

#include <utility>

namespace tune::http {

namespace {

/// Several complaints, a line each, as one sentence.
std::string in_one_line(const std::string& text) {
  std::string result;
  for (auto c : text)
    result += c == '\n' ? std::string{"; "} : std::string{c};
  return result;
}

} // namespace

response to_response(const problem& what) {
  response result;
  result.status = what.status;
  result.headers.add("Content-Type", "application/problem+json");
  result.headers.add("Cache-Control", "no-store");
  if (!what.allowed.empty())
    result.headers.add("Allow", what.allowed);
  if (what.status == 401)
    result.headers.add("WWW-Authenticate", "Bearer realm=\"tune-node\"");
  if (what.status == 429 || what.status == 503)
    result.headers.add("Retry-After", "1");
  result.body = to_json(object{{"type", "about:blank"},
                               {"title", reason_of(what.status)},
                               {"status", static_cast<std::int64_t>(what.status)},
                               {"detail", printable(in_one_line(what.detail))},
                               {"code", what.code}})
                + "\n";
  result.closes = what.status == 400 || what.status == 403 || what.status == 408
                  || what.status == 413 || what.status == 414 || what.status == 431
                  || what.status == 501 || what.status == 505;
  return result;
}

problem problem_of(const error& why) {
  const auto status_of = [](ec code) -> unsigned {
    switch (code) {
      case ec::bad_option:
      case ec::bad_syntax:
        return 422;
      case ec::unknown_name:
      case ec::unreadable:
        return 404;
      case ec::refused:
      case ec::unreachable:
      case ec::illegal_transition:
      case ec::impossible_request:
        return 409;
      case ec::shortage:
        return 503;
      case ec::timeout:
        return 504;
      case ec::storage:
      case ec::process:
      case ec::protocol:
      case ec::user_code:
      case ec::internal:
        return 500;
    }
    return 500;
  };
  return {status_of(why.code), std::string{to_text(why.code)}, to_text(why)};
}

response json_response(std::string body, unsigned status) {
  response result;
  result.status = status;
  result.headers.add("Content-Type", "application/json");
  result.headers.add("Cache-Control", "no-store");
  result.body = std::move(body);
  return result;
}

} // namespace tune::http
