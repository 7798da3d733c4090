// SPDX-License-Identifier: BSD-3-Clause
//
// Feeds the parsers and rules of HTTP with what no client should send, and checks what must hold
// whatever they are given. With -DTUNE_LIBFUZZER it is a target of libFuzzer; else it draws its
// inputs itself, by changing examples:
//
//   tune_http_fuzz EXECUTIONS [SEED]
#include "support/fuzz_by_chance.hpp"
#include "tune/http/admission.hpp"
#include "tune/http/byte_range.hpp"
#include "tune/http/event_frame.hpp"
#include "tune/http/target.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace tune::http;

void must(bool holds, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

const std::string token(64, 'a');

doorman& door() {
  static doorman all{router{{{method::get, "/", "page", "", access::open},
                             {method::get, "/e/{name}/{path...}", "file", "", access::token},
                             {method::post, "/e/{name}", "order", "", access::token, {}, 100}}},
                     host_guard{{"lab:1"}}, "c"};
  return all;
}

/// Removes and returns what is before the first line end.
std::string take_line(std::string_view& rest) {
  const auto end = std::min(rest.find('\n'), rest.size());
  std::string result{rest.substr(0, end)};
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return result;
}

void check_target(std::string_view text) {
  const auto read = read_target(text);
  if (!read)
    return;
  for (const auto& part : read->path) {
    must(!part.empty() && part != "." && part != "..", "a segment is a name");
    must(part.find_first_of(std::string_view{"/\\\0\n\r", 5}) == part.npos, "a segment is one");
  }
}

void check_door(std::string_view rest) {
  request_head head;
  head.method = take_line(rest);
  head.target = take_line(rest);
  auto knows = false;
  while (!rest.empty()) {
    const auto line = take_line(rest);
    const auto colon = std::min(line.find(':'), line.size());
    head.headers.add(line.substr(0, colon), line.substr(std::min(colon + 1, line.size())));
    knows = knows || line.find(token) != line.npos;
  }
  auto told = door().admit(head, token, true, std::chrono::seconds{1'000'000}, {});
  must(!std::holds_alternative<token_in_doubt>(told), "there is no doubt about a token just read");
  const auto* in = std::get_if<admitted>(&told);
  must(in == nullptr || in->where->who == access::open || knows, "nobody comes in without token");
}

void check_frame(std::string_view text) {
  const auto frame = event_frame("x", text);
  must(frame.ends_with("\n\n") && frame.find("\n\n") == frame.size() - 2, "one event is one");
  must(frame.find('\r') == frame.npos, "an event has one kind of line end");
}

void check(std::string_view text) {
  check_target(text);
  check_door(text);
  check_frame(text);
  header_list headers;
  headers.add("Cookie", std::string{text});
  static_cast<void>(cookie_in(headers, "c"));
  must(!is_cookie_for(text, token, std::chrono::seconds{1'000'000}), "no cookie is guessed");
  request from;
  from.headers.add("Last-Event-ID", std::string{text});
  const auto place = event_place(from);
  const auto fits = [](char x) { return (x >= '0' && x <= '9') || x == '@'; };
  must(!place || (!text.empty() && std::all_of(text.begin(), text.end(), fits)),
       "a place in the log is a number, or two");
  const auto range = read_range(text, 1000);
  const auto* part = std::get_if<byte_range>(&range);
  must(part == nullptr || (part->first <= part->last && part->last < 1000), "a range is in it");
  static_cast<void>(is_host_text(text));
}

} // namespace

#ifdef TUNE_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}

#else

namespace {

constexpr std::string_view examples[]
    = {"/api/v1/experiments/a%20b/trials?limit=10&filter=x+%3C+1",
       "/e/x/%2e%2e/%c0%ae",
       "GET\n/e/x/y\nHost:localhost\nAuthorization:Bearer b",
       "POST\n/e/x\nHost:lab:1\nOrigin:http://lab:1\nContent-Length:5\nTransfer-Encoding:chunked",
       "GET\n/\nHost:[::1]:80\nSec-Fetch-Site:cross-site\nCookie:c=1000000.ab; c=2",
       "bytes=0-99",
       "18446744073709551615",
       "data\r\revent: x\n\nid: 1"};

} // namespace

int main(int argc, char** argv) {
  constexpr std::string_view marks{"/%.\\?&=:;,-\r\n\0 []@#+abc019\x80\xff", 29};
  return tune::support::fuzz_by_chance(argc, argv, examples, marks, check);
}

#endif
