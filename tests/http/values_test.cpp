// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/byte_range.hpp"
#include "tune/http/event_frame.hpp"
#include "tune/http/problem.hpp"
#include "tune/http/router.hpp"
#include "tune/http/target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tune::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(target, is_decoded_once) {
  auto uut = read_target("/api/v1/experiments/my%20run%2525/?sort=-metric%3Aloss&filter=a+%3C+1");

  ASSERT_TRUE(uut);
  EXPECT_THAT(uut->path, ElementsAre("api", "v1", "experiments", "my run%25"));
  EXPECT_EQ(uut->query.find("sort")->second, "-metric:loss");
  EXPECT_EQ(uut->query.find("filter")->second, "a < 1");
}

TEST(target, never_names_another_directory) {
  for (const auto* text : {"/a/../b",
                           "/a/%2e%2e/b",
                           "/a/.%2E/b",
                           "/./a",
                           "/%2e/a",
                           "/a%2fb",
                           "/a%2F..%2Fb",
                           "/a\\b",
                           "/a%5cb",
                           "/a%5C..%5Cb",
                           "/a%00b",
                           "/%00",
                           "/a%0ab",
                           "/a%0d%0aSet-Cookie:x",
                           "/a%7f",
                           "/%c0%ae%c0%ae/etc",
                           "/a%ff",
                           "/a%ed%a0%80",
                           "/a%2",
                           "/a%",
                           "/a%zz",
                           "/a b",
                           "/\x80",
                           "/a#b",
                           "a/b",
                           "",
                           "http://elsewhere/a",
                           "*",
                           "//..//x"}) {
    auto uut = read_target(text);
    ASSERT_FALSE(uut) << text;
    EXPECT_EQ(uut.error().code, ec::bad_syntax) << text;
  }
}

TEST(target, is_bounded) {
  EXPECT_EQ(read_target("/" + std::string(longest_target, 'a')).error().code, ec::bad_option);
  EXPECT_EQ(read_target("/" + std::string(longest_segment + 1, 'a')).error().code, ec::bad_option);
  std::string deep;
  for (std::size_t i = 0; i <= most_segments; ++i)
    deep += "/a";
  EXPECT_EQ(read_target(deep).error().code, ec::bad_option);
  std::string wide = "/?";
  for (std::size_t i = 0; i <= most_parameters; ++i)
    wide += "a=1&";
  EXPECT_EQ(read_target(wide).error().code, ec::bad_option);
}

TEST(target, takes_names_of_any_language) {
  auto uut = read_target("/%E5%AE%9F%E9%A8%93/caf%C3%A9");
  ASSERT_TRUE(uut);
  EXPECT_THAT(uut->path, ElementsAre("実験", "café"));
}

TEST(target, of_random_bytes_is_refused_or_harmless) {
  std::mt19937 dice{42};
  constexpr std::string_view bytes = "/%.\\?&=+#012efEF \n\x80\xff"
                                     "a";
  for (int i = 0; i < 100'000; ++i) {
    std::string text = "/";
    for (auto size = dice() % 24; size > 0; --size)
      text += bytes[dice() % bytes.size()];
    auto uut = read_target(text);
    if (!uut)
      continue;
    for (const auto& x : uut->path) {
      EXPECT_NE(x, "..") << text;
      EXPECT_EQ(x.find_first_of(std::string_view{"/\\\0\n", 4}), x.npos) << text;
    }
  }
}

route route_of(method what, std::string pattern, std::string id) {
  route result;
  result.what = what;
  result.pattern = std::move(pattern);
  result.id = std::move(id);
  return result;
}

router small_router() {
  return router{{route_of(method::get, "/", "root"), route_of(method::get, "/e/{name}", "one"),
                 route_of(method::get, "/e/best", "best"),
                 route_of(method::post, "/e/{name}/stop", "stop"),
                 route_of(method::get, "/f/{path...}", "file")}};
}

std::string id_of(const route_answer& x) {
  const auto* match = std::get_if<route_match>(&x);
  return match == nullptr ? "" : match->which->id;
}

TEST(router, prefers_what_is_said_to_what_is_named) {
  auto uut = small_router();
  EXPECT_EQ(id_of(uut.find(method::get, {})), "root");
  EXPECT_EQ(id_of(uut.find(method::get, {"e", "best"})), "best");
  EXPECT_EQ(id_of(uut.find(method::get, {"e", "worst"})), "one");
  EXPECT_EQ(id_of(uut.find(method::head, {"e", "worst"})), "one");
  EXPECT_EQ(id_of(uut.find(method::get, {"e"})), "");
  EXPECT_EQ(id_of(uut.find(method::get, {"e", "a", "b"})), "");
}

TEST(router, names_the_parts_of_a_path) {
  auto uut = small_router();
  auto one = std::get<route_match>(uut.find(method::post, {"e", "x", "stop"}));
  EXPECT_EQ(one.names.at("name"), "x");
  auto file = std::get<route_match>(uut.find(method::get, {"f", "a", "b", "c"}));
  EXPECT_EQ(file.names.at("path"), "a/b/c");
  EXPECT_EQ(id_of(uut.find(method::get, {"f"})), "");
}

TEST(router, says_which_methods_there_are) {
  auto uut = small_router();
  EXPECT_EQ(std::get<other_method>(uut.find(method::get, {"e", "x", "stop"})).allowed, "POST");
  EXPECT_EQ(std::get<other_method>(uut.find(method::del, {"e", "x"})).allowed, "GET, HEAD");
  EXPECT_EQ(std::get<other_method>(uut.find(method::other, {"e", "x"})).allowed, "GET, HEAD");
}

TEST(router, checks_a_query_by_its_rules) {
  route uut;
  uut.query = {{"limit", parameter::kind::integer, 1, 1000, {}, ""},
               {"status", parameter::kind::choice, 0, 0, {"PENDING", "RUNNING"}, ""},
               {"deep", parameter::kind::flag, 0, 0, {}, ""},
               {"sort", parameter::kind::text, 0, 5, {}, ""}};
  EXPECT_TRUE(check_query(uut, {{"limit", "1000"}, {"status", "RUNNING"}, {"deep", "true"}}));
  for (const auto& [name, text] : query_map{{"limit", "0"},
                                            {"limit", "1001"},
                                            {"limit", ""},
                                            {"limit", "1x"},
                                            {"limit", "99999999999999999999"},
                                            {"status", "running"},
                                            {"deep", "1"},
                                            {"sort", "abcdef"}})
    EXPECT_EQ(check_query(uut, {{name, text}}).error().code, ec::bad_option) << name << text;
  EXPECT_EQ(check_query(uut, {{"filer", "x"}}).error().code, ec::unknown_name);
  EXPECT_FALSE(check_query(uut, {{"limit", "1"}, {"limit", "2"}}));

  uut.any_query = true;
  EXPECT_TRUE(check_query(uut, {{"e", "digits"}, {"e", "x"}, {"limit", "0"}}));
}

TEST(byte_range, is_one_of_the_content) {
  using answer = std::variant<byte_range, whole_content, no_such_range>;
  EXPECT_EQ(read_range("bytes=0-9", 100), (answer{byte_range{0, 9}}));
  EXPECT_EQ(read_range("bytes=90-", 100), (answer{byte_range{90, 99}}));
  EXPECT_EQ(read_range("bytes=-10", 100), (answer{byte_range{90, 99}}));
  EXPECT_EQ(read_range("bytes=-1000", 100), (answer{byte_range{0, 99}}));
  EXPECT_EQ(read_range("bytes=50-1000", 100), (answer{byte_range{50, 99}}));
  EXPECT_EQ(read_range("bytes=100-", 100), (answer{no_such_range{}}));
  EXPECT_EQ(read_range("bytes=-0", 100), (answer{no_such_range{}}));
  for (const auto* text : {"bytes=0-1,3-4", "bytes=9-0", "bytes=a-b", "bytes=", "bytes=-",
                           "lines=0-1", "bytes=18446744073709551616-"})
    EXPECT_EQ(read_range(text, 100), (answer{whole_content{}})) << text;
  EXPECT_EQ(read_range(std::nullopt, 100), (answer{whole_content{}}));
}

TEST(event_frame, cannot_be_broken_out_of) {
  EXPECT_EQ(event_frame("change", "{}", event_id{7}), "id: 7\nevent: change\ndata: {}\n\n");
  EXPECT_EQ(event_frame("log", "a\n\nevent: x\r\rid: 1\r\nb"),
            "event: log\ndata: a\ndata: \ndata: event: x\ndata: \ndata: id: 1\ndata: b\n\n");
  EXPECT_EQ(event_frame("log", ""), "event: log\ndata: \n\n");
  EXPECT_EQ(event_frame("x", "", event_id{7, 12}), "id: 7@12\nevent: x\ndata: \n\n");
}

TEST(event_frame, goes_on_where_the_client_was) {
  request from;
  from.query.emplace("since", "5");
  EXPECT_EQ(event_place(from), event_id{5});
  from.headers.add("Last-Event-ID", "17");
  EXPECT_EQ(event_place(from), event_id{17});
  from.headers.add("last-event-id", "18");
  EXPECT_EQ(event_place(from), event_id{5}) << "several count as none";
  for (const auto* good : {"5@12", "0@1", "7@0"}) {
    request asked;
    asked.query.emplace("since", good);
    EXPECT_TRUE(event_place(asked)) << good;
  }
  for (const auto* bad : {"", "@", "5@", "@12", "-5", "5@-1", "5@1@2", "5@1x", "+5", " 5"}) {
    request asked;
    asked.query.emplace("since", bad);
    EXPECT_EQ(event_place(asked), std::nullopt) << bad;
  }
}

TEST(problem, is_printable_and_says_what_helps) {
  auto uut = to_response({405, "other_method", "a\x1b[31m\nb", "GET, HEAD"});
  EXPECT_EQ(uut.headers.only("content-type"), "application/problem+json");
  EXPECT_EQ(uut.headers.only("allow"), "GET, HEAD");
  EXPECT_THAT(uut.body, HasSubstr("\"status\":405"));
  EXPECT_THAT(uut.body, HasSubstr("\\\\x1b[31m; b"));
  EXPECT_THAT(uut.body, Not(HasSubstr("\x1b")));
}

} // namespace
} // namespace tune::http
