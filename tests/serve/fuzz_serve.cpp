// SPDX-License-Identifier: BSD-3-Clause
//
// Feeds what reads requests behind the door with nonsense: bodies of orders, of ask and tell,
// filters, cursors, keys, options of schedulers, and archives that are uploaded. Checks what must
// hold whatever they are given. With -DTUNE_LIBFUZZER it is a target of libFuzzer; else it draws
// its inputs itself, by changing examples:
//
//   tune_serve_fuzz EXECUTIONS [SEED]
#include "head/uploaded_files.hpp"
#include "serve/api_routes.hpp"
#include "serve/once_only.hpp"
#include "serve/record_orders.hpp"
#include "serve/talk_requests.hpp"
#include "support/fuzz_by_chance.hpp"
#include "view/filter.hpp"
#include "view/query.hpp"
#include "whatif/alternatives.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

using namespace tune;
using namespace tune::cli;

void must(bool holds, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

const http::route& fuzzed_route(const std::string& id) {
  static const auto all = api_routes();
  return *std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.id == id; });
}

http::request with_body(std::string_view text) {
  http::request result;
  result.what = http::method::post;
  result.body = std::string{text};
  result.names["experiment"] = "x";
  result.names["trial"] = "7";
  return result;
}

void check_bodies(std::string_view text) {
  const auto what = with_body(text);
  const auto asked = talk_request_from(what, fuzzed_route("ask"));
  must(!asked || *asked->find("op") == value{"ask"}, "ask is ask");
  const auto told = talk_request_from(what, fuzzed_route("tell"));
  must(!told || *told->find("op") != value{"ask"}, "tell is no ask");
  must(!told || *told->find("op") != value{"report"} || told->contains("attempt"),
       "a report names its attempt");
  static_cast<void>(order_from(what, fuzzed_route("add")));
  static_cast<void>(order_from(what, fuzzed_route("trial_retry")));
}

void check_query(std::string_view text) {
  const auto filter = parse_filter(text);
  must(!filter || filter->size() <= most_comparisons, "a filter is short");
  static_cast<void>(parse_key(text, column_name::kind::average));
  const auto place = cursor_from(std::string{text});
  must(!place || cursor_from(cursor_text(*place)) == *place, "a cursor is read as it is written");
}

/// A key has 1 to 200 bytes; the same request with it is carried out once, another one never.
void check_key(std::string_view text) {
  static const auto where = fuzzed_route("stop");
  once_only book;
  auto what = with_body("{}");
  what.headers.add("Idempotency-Key", std::string{text});
  auto count = 0;
  const auto ask = [&] {
    return book.answer(what, where,
                       [&count] { return http::json_response(std::to_string(++count)); });
  };
  const auto first = ask(), second = ask();
  what.body = text;
  const auto other = ask();
  const auto is_key = !text.empty() && text.size() <= 200;
  must(count == (is_key ? 1 : 0), "a request with a key is carried out once");
  must(first.status == (is_key ? 200U : 400U) && second.body == first.body, "it is answered again");
  must(other.status == (!is_key ? 400U : text == "{}" ? 200U : 422U), "another one is refused");
}

void check_scheduler(std::string_view text) {
  const auto read = read_scheduler(text);
  if (!read)
    return;
  for (const auto& x : read->options)
    must(!x.name.empty(), "an option has a name");
}

/// Gives each header of a tar archive the checksum that it should have.
std::string with_checksums(std::string text) {
  constexpr std::size_t block = 512, sum_at = 148, sum_size = 8;
  for (std::size_t at = 0; at + block <= text.size(); at += block) {
    if (std::memcmp(text.data() + at + 257, "ustar", 5) != 0)
      continue;
    std::memset(text.data() + at + sum_at, ' ', sum_size);
    unsigned sum = 0;
    for (std::size_t i = 0; i < block; ++i)
      sum += static_cast<unsigned char>(text[at + i]);
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "%06o", sum);
    std::memcpy(text.data() + at + sum_at, digits.data(), 7);
  }
  return text;
}

void check_archive(std::string_view text) {
  const upload_limits limits{20, 4096, 3, 50};
  const auto files = files_in_archive(with_checksums(std::string{text}), limits);
  if (!files)
    return;
  std::size_t bytes = 0;
  for (const auto& x : *files) {
    bytes += x.bytes.size();
    must(!x.path.empty() && x.path.front() != '/', "a path is relative");
    must(("/" + x.path + "/").find("/../") == std::string::npos, "no path leads out");
    must(x.path.find('\0') == std::string::npos, "a path has no NUL");
  }
  must(files->size() <= limits.files && bytes <= limits.bytes, "limits hold");
}

void check(std::string_view text) {
  check_bodies(text);
  check_query(text);
  check_archive(text);
  check_key(text);
  check_scheduler(text);
}

} // namespace

#ifdef TUNE_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}

#else

namespace {

/// One file in an archive, as plain tar has it.
std::string archived(const std::string& name, char type, const std::string& text) {
  std::string head(512, '\0');
  const auto put
      = [&](std::size_t at, const std::string& what) { head.replace(at, what.size(), what); };
  std::array<char, 16> size{};
  std::snprintf(size.data(), size.size(), "%011o", static_cast<unsigned>(text.size()));
  put(0, name);
  put(100, "0000755");
  put(124, size.data());
  put(156, std::string(1, type));
  put(157, type == '2' ? "/etc/passwd" : "");
  put(257, std::string{"ustar\00000", 8});
  auto body = text;
  body.resize((text.size() + 511) / 512 * 512);
  return head + body;
}

std::string fuzzed_archive() {
  return archived("./exp.ini", '0', "[experiment]\n") + archived("lib/", '5', "")
         + archived("lib/a.py", '0', "x = 1\n") + archived("link", '2', "")
         + archived("../out", '0', "") + std::string(1024, '\0');
}

const std::array<std::string, 9>& fuzzed_examples() {
  static const std::array<std::string, 9> all{
      R"({"op":"report","trial":"00003","attempt":1,"metrics":{"training_iteration":2,"loss":NaN}})",
      R"({"op":"alive","running":["00003",7]})",
      R"({"config":{"lr":1e-3,"x":[1,{"a":null}]},"key":"k"})",
      R"({"from_scratch":true})",
      R"(asha reduction_factor=3 "max_t=50" time_attr='x y')",
      R"(param:lr < 0.01 and status = ERRORED and text ~ "a \"b\"")",
      cursor_text({value{17}, value{0.5}, value{false}}),
      fuzzed_archive(),
      archived("exp.ini", '0', "x") + archived("./exp.ini", '0', "y")};
  return all;
}

} // namespace

int main(int argc, char** argv) {
  constexpr std::string_view marks{"/.\\\"{}[]:,<>=~!\0 019eNan-+_ustar", 32};
  return tune::support::fuzz_by_chance(argc, argv, fuzzed_examples(), marks, check);
}

#endif
