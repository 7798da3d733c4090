// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/admission.hpp"

#include "tune/http/target.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

namespace tune::http {

namespace {

problem refused(const error& why) {
  return {403, "refused", why.detail};
}

problem bad_request(const error& why) {
  if (why.code == ec::bad_option)
    return {414, "too_long", why.detail};
  return {400, "bad_syntax", why.detail};
}

bool changes(method what) {
  return what != method::get && what != method::head;
}

std::optional<std::uint64_t> length_in(const header_list& headers) {
  const auto text = headers.only("Content-Length").value_or("");
  std::uint64_t result = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result);
  return !text.empty() && read.ec == std::errc{} && read.ptr == end ? std::optional{result}
                                                                    : std::nullopt;
}

bool is_chunked(std::string_view coding) {
  constexpr std::string_view name = "chunked";
  if (coding.size() != name.size())
    return false;
  for (std::size_t i = 0; i < name.size(); ++i)
    if ((coding[i] | 0x20) != name[i])
      return false;
  return true;
}

} // namespace

std::optional<problem> check_body_fields(const header_list& headers, const route& where) {
  const auto codings = headers.count("Transfer-Encoding");
  const auto lengths = headers.count("Content-Length");
  if (lengths > 1 || codings > 1 || (lengths > 0 && codings > 0))
    return problem{400, "bad_syntax", "the head says the length of the body twice"};
  if (codings > 0 && !is_chunked(*headers.only("Transfer-Encoding")))
    return problem{501, "not_implemented", "chunked is the only transfer coding here"};
  const auto length = length_in(headers);
  if (lengths > 0 && !length)
    return problem{400, "bad_syntax", "Content-Length is no number"};
  if (codings > 0 && where.body == 0)
    return problem{413, "too_long", "no body is taken here"};
  if (length && *length > where.body)
    return problem{413, "too_long",
                   where.body == 0 ? "no body is taken here"
                                   : "a body has at most " + std::to_string(where.body) + " bytes"};
  const auto type = headers.only("Content-Type").value_or("");
  const auto has_body = codings > 0 || length.value_or(0) > 0;
  if (has_body && type != where.body_type && !type.starts_with(where.body_type + ";"))
    return problem{415, "bad_type", "the body has to be " + where.body_type};
  return std::nullopt;
}

doorman::doorman(router routes, host_guard guard, std::string cookie)
    : routes_{std::move(routes)}, guard_{std::move(guard)}, cookie_{std::move(cookie)} {}

std::optional<problem> doorman::bar(credential shown, const route& where,
                                    std::chrono::steady_clock::time_point now) {
  if (where.who == access::open || shown == credential::full)
    return std::nullopt;
  if (shown == credential::cookie) {
    if (!changes(where.what))
      return std::nullopt;
    return problem{403, "refused", "with the cookie, the header X-Tune-Node: 1 is needed"};
  }
  if (shown == credential::none)
    return problem{401, "no_token", "the token is needed: Authorization: Bearer TOKEN"};
  if (failed_.note(now))
    return problem{429, "too_many", "too many wrong tokens: wait a moment"};
  return problem{401, "wrong_token", "this is not the token of this server"};
}

admission doorman::admit(const request_head& head, const std::string& token, bool is_sure,
                         std::chrono::seconds unix_now, std::chrono::steady_clock::time_point now) {
  const auto what = method_from(head.method);
  if (auto welcome = guard_.check(head.headers, false); !welcome)
    return refused(welcome.error());
  auto aim = read_target(head.target);
  if (!aim)
    return bad_request(aim.error());
  auto found = routes_.find(what, aim->path);
  const auto* match = std::get_if<route_match>(&found);
  const auto is_api = !aim->path.empty() && (aim->path[0] == "api" || aim->path[0] == "metrics");
  // Links of other sites may lead to the page, and to nothing else.
  if (is_api || changes(what))
    if (auto welcome = guard_.check(head.headers, true); !welcome)
      return refused(welcome.error());
  // Strangers do not hear what there is.
  static const route nowhere{};
  const auto& where = match != nullptr ? *match->which : nowhere;
  const auto shown = credential_of(head.headers, cookie_, token, unix_now);
  if (match != nullptr || is_api) {
    if (shown == credential::wrong && where.who == access::token && !is_sure)
      return token_in_doubt{};
    if (auto fault = bar(shown, where, now))
      return *fault;
  }
  if (const auto* other = std::get_if<other_method>(&found))
    return problem{405, "other_method", "this takes " + other->allowed, other->allowed};
  if (match == nullptr)
    return problem{404, "not_found", "there is nothing here"};
  if (auto fault = check_body_fields(head.headers, where))
    return *fault;
  if (auto fits = check_query(where, aim->query); !fits)
    return problem{400, std::string{to_text(fits.error().code)}, fits.error().detail};
  const auto is_proven = shown == credential::full || shown == credential::cookie;
  return admitted{
      {what, std::move(aim->path), std::move(aim->query), head.headers, {}, match->names},
      match->which,
      is_proven};
}

} // namespace tune::http
