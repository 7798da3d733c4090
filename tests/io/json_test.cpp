// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace tune {
namespace {

constexpr auto inf = std::numeric_limits<double>::infinity();
constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

value there_and_back(const value& what, json_position where = json_position::plain) {
  auto read = from_json(to_json(what), where);
  EXPECT_TRUE(read.has_value()) << to_json(what);
  return read ? *read : value{"unreadable"};
}

std::string utf8(std::uint32_t point) {
  auto byte = [](std::uint32_t x) { return static_cast<char>(x); };
  if (point < 0x80)
    return {byte(point)};
  if (point < 0x800)
    return {byte(0xC0 | point >> 6), byte(0x80 | (point & 63))};
  if (point < 0x10000)
    return {byte(0xE0 | point >> 12), byte(0x80 | (point >> 6 & 63)), byte(0x80 | (point & 63))};
  return {byte(0xF0 | point >> 18), byte(0x80 | (point >> 12 & 63)), byte(0x80 | (point >> 6 & 63)),
          byte(0x80 | (point & 63))};
}

TEST(json, brings_every_kind_of_value_back_as_it_was) {
  const value all{object{{"null", nullptr},
                         {"yes", true},
                         {"int", 3},
                         {"float", 3.0},
                         {"text", "a\"b\\c\n\t"},
                         {"list", value::list{1, 2.5, value::list{}, object{}}},
                         {"", object{{"deep", object{{"er", -1}}}}}}};

  EXPECT_EQ(there_and_back(all), all);
}

TEST(json, keeps_the_bits_of_numbers_at_the_edges) {
  const auto most = std::numeric_limits<std::int64_t>::max();
  const auto least = std::numeric_limits<std::int64_t>::min();

  for (const value& x : {value{1e-310}, value{5e-324}, value{-0.0}, value{0.1}, value{1e22},
                         value{1e300}, value{-1.7976931348623157e308}, value{most}, value{least},
                         value{0}, value{9007199254740993.0}})
    EXPECT_EQ(there_and_back(x), x) << to_json(x);
}

TEST(json, reads_integers_beyond_int64_as_floats) {
  EXPECT_EQ(*from_json("9223372036854775807"), value{std::int64_t{9223372036854775807}});
  EXPECT_EQ(*from_json("9223372036854775808"), value{9223372036854775808.0});
  EXPECT_EQ(*from_json("-9223372036854775809"), value{-9223372036854775808.0});
  EXPECT_EQ(*from_json("123456789012345678901234567890"), value{123456789012345678901234567890.0});
}

TEST(json, carries_non_finite_numbers_as_texts_and_reads_them_back_among_metrics_only) {
  EXPECT_EQ(to_json(value{value::list{nan, inf, -inf}}), R"(["nan","inf","-inf"])");
  EXPECT_EQ(to_json(value{-nan}), R"("nan")");

  const value odd{object{{"loss", nan}, {"more", value::list{inf, -inf}}}};
  EXPECT_EQ(there_and_back(odd, json_position::metric), odd);
  EXPECT_EQ(there_and_back(value{-nan}, json_position::metric), value{nan});
  EXPECT_EQ(there_and_back(value{nan}, json_position::plain), value{"nan"});
}

TEST(json, writes_floats_that_look_like_floats) {
  EXPECT_EQ(to_json(value{1.0}), "1.0");
  EXPECT_EQ(to_json(value{-0.0}), "-0.0");
  EXPECT_EQ(to_json(value{0.1}), "0.1");
  EXPECT_EQ(to_json(value{1e22}), "1e+22");
  EXPECT_EQ(to_json(value{1}), "1");
}

TEST(json, carries_every_code_point) {
  std::string all;
  for (std::uint32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point < 0xD800 || point > 0xDFFF)
      all += utf8(point);
  }

  EXPECT_EQ(there_and_back(value{all}), value{all});
}

TEST(json, escapes_controls_and_nothing_else) {
  EXPECT_EQ(to_json(value{std::string{"\0\x1f\x7f\"\\/\b\xC3\xA9", 9}}),
            "\"\\u0000\\u001f\x7f\\\"\\\\/\\u0008\xC3\xA9\"");
}

TEST(json, replaces_invalid_utf8_on_both_ways) {
  struct sample {
    std::string bad;
    std::string good;
  };
  const std::string r = "\xEF\xBF\xBD";
  const sample samples[] = {
      {"a\xFFz", "a" + r + "z"},           // never a byte of UTF-8
      {"\xC3", r},                         // cut short
      {"\xE2\x82", r},                     // cut short after two of three
      {"\xE2\x82z", r + "z"},              //
      {"\xC0\x80", r + r},                 // overlong
      {"\xED\xA0\x80", r + r + r},         // a surrogate
      {"\xF4\x90\x80\x80", r + r + r + r}, // beyond U+10FFFF
      {"\x80", r},                         // a continuation byte without a start
      {"\xF0\x9F\x98\xF0\x9F\x98\x80", r + utf8(0x1F600)},
  };
  for (const auto& [bad, good] : samples) {
    EXPECT_EQ(to_json(value{bad}), "\"" + good + "\"");
    auto read = from_json("\"" + bad + "\"");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, value{good});
  }
}

TEST(json, keeps_the_order_of_keys_and_of_doubled_ones_the_last) {
  auto read = object_from_json(R"({"b":1,"a":2,"b":3,"a":4,"c":5})");

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, (object{{"b", 3}, {"a", 4}, {"c", 5}}));
}

TEST(json, reads_an_object_of_very_many_keys_in_good_time) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i)
    text += "\"k" + std::to_string(i) + "\":0,";
  text.back() = '}';

  auto read = object_from_json(text);

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->size(), 200'000u);
}

TEST(json, refuses_what_is_not_json_with_the_position) {
  for (const char* bad : {"", "{", "[1,]", "{\"a\":}", "nan", "NaN", "01", "1 2", "'a'", "\"a",
                          "[1]]", "\"\\ud800\"", "1e999", "\"\x01\"", "tru"}) {
    auto read = from_json(bad);
    ASSERT_FALSE(read.has_value()) << bad;
    EXPECT_EQ(read.error().code, ec::bad_syntax) << bad;
    EXPECT_NE(read.error().detail.find("at byte "), std::string::npos) << read.error().detail;
  }
  EXPECT_EQ(from_json("[1e999]").error().detail, "the number 1e999 of /0 at byte 6 is too large");
  EXPECT_EQ(from_json(R"({"a":{"x":1},"b":[0,{"c":-1e400}]})").error().detail,
            "the number -1e400 of /b/1/c at byte 31 is too large");
  EXPECT_EQ(from_json("1e400").error().detail, "the number 1e400 at byte 5 is too large");
  EXPECT_NE(from_json("[1,x]").error().detail.find("at byte 4"), std::string::npos)
      << from_json("[1,x]").error().detail;
}

TEST(json, refuses_a_million_brackets) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i)
      text += bracket;
    auto read = from_json(text);
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code, ec::bad_option);
  }
}

TEST(json, holds_to_its_limits) {
  EXPECT_TRUE(from_json("[[1]]", json_position::plain, {5, 2}).has_value());
  EXPECT_EQ(from_json("[[1]]", json_position::plain, {5, 1}).error().code, ec::bad_option);
  EXPECT_EQ(from_json("[[1]]", json_position::plain, {4, 2}).error().code, ec::bad_option);
}

TEST(json, wants_an_object_where_one_is_due) {
  EXPECT_EQ(object_from_json("[1]").error().code, ec::bad_syntax);
  EXPECT_EQ(*object_from_json(" {\"a\" : 1} "), (object{{"a", 1}}));
}

} // namespace
} // namespace tune
