// SPDX-License-Identifier: BSD-3-Clause
#include "serve/once_only.hpp"

#include "tune/http/problem.hpp"
#include "tune/io/files/sha256.hpp"

#include <chrono>
#include <string>

namespace tune::cli {

namespace {

/// Longest idempotency key. [bytes]
constexpr std::size_t longest_key = 200;

/// The head did not answer in time: it may still do what it was asked for.
constexpr unsigned unheard = 504;

/// The whole of a request, as far as another one with its key must not differ from it.
std::string print_of(const http::request& what, const http::route& where) {
  auto text = where.id;
  for (const auto& part : what.path)
    text += "/" + part;
  return sha256_of(text + "\n" + what.body);
}

http::response again(const http::kept_answer& x) {
  http::response result;
  result.status = x.status;
  result.headers.add("Content-Type", x.type);
  result.headers.add("Cache-Control", "no-store");
  result.headers.add("Idempotency-Replayed", "true");
  result.body = x.body;
  return result;
}

} // namespace

http::response once_only::answer(const http::request& what, const http::route& where,
                                 const std::function<http::response()>& work) {
  const auto given = what.headers.only("Idempotency-Key");
  if (!given)
    return work();
  if (given->empty() || given->size() > longest_key)
    return to_response(http::problem{
        400, "bad_option", "Idempotency-Key has 1 to " + std::to_string(longest_key) + " bytes"});
  const std::string key{*given};
  {
    std::lock_guard guard{mutex_};
    auto before = repeats_.begin(key, print_of(what, where), std::chrono::steady_clock::now());
    if (const auto* kept = std::get_if<http::kept_answer>(&before))
      return again(*kept);
    if (std::holds_alternative<http::repeat_book::is_open>(before))
      return to_response(
          http::problem{409, "in_progress", "the same request is being carried out"});
    if (std::holds_alternative<http::repeat_book::is_other>(before))
      return to_response(
          http::problem{422, "key_in_use", "this Idempotency-Key was used for another request"});
  }
  auto result = work();
  std::lock_guard guard{mutex_};
  if (result.status == 200)
    repeats_.keep(key, {result.status, "application/json", result.body});
  else if (result.status == unheard)
    repeats_.keep(key, {result.status, "application/problem+json", result.body});
  else
    repeats_.forget(key);
  return result;
}

} // namespace tune::cli
