// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/domain.hpp"

#include <gtest/gtest.h>

namespace {

using namespace tune;
using list = value::list;

value read(std::string_view text) {
  auto result = parse_literal(text);
  EXPECT_TRUE(result) << text << ": " << result.error().detail;
  return result ? *result : value{};
}

std::string complaint(std::string_view text) {
  auto result = parse_literal(text);
  return result ? "read as " + to_text(*result) : result.error().detail;
}

TEST(literal, keeps_the_kind_of_a_number) {
  EXPECT_EQ(read("3"), value{3});
  EXPECT_EQ(read(" -17 "), value{-17});
  EXPECT_EQ(read("3.0"), value{3.0});
  EXPECT_EQ(read("1e-5"), value{1e-5});
  EXPECT_EQ(read("+.5"), value{0.5});
  EXPECT_EQ(read("9223372036854775807"), value{std::int64_t{9223372036854775807}});
  EXPECT_EQ(read("9223372036854775808"), value{9223372036854775808.0});
}

TEST(literal, knows_booleans_null_and_words) {
  EXPECT_EQ(read("true"), value{true});
  EXPECT_EQ(read("false"), value{false});
  EXPECT_EQ(read("null"), value{});
  EXPECT_EQ(read("sgd"), value{"sgd"});
  EXPECT_EQ(read("True"), value{"True"});
  EXPECT_EQ(read("inf"), value{"inf"});
  EXPECT_EQ(read("1.2.3"), value{"1.2.3"});
  EXPECT_EQ(read("2020-01-01"), value{"2020-01-01"});
  EXPECT_EQ(read("s3://bucket/x?a=b"), value{"s3://bucket/x?a=b"});
  EXPECT_EQ(read("größe"), value{"größe"});
}

TEST(literal, reads_quoted_texts_with_escapes) {
  EXPECT_EQ(read(R"("")"), value{""});
  EXPECT_EQ(read(R"("1")"), value{"1"});
  EXPECT_EQ(read(R"("a,b) if c")"), value{"a,b) if c"});
  EXPECT_EQ(read(R"("a\"b\\c\n\t\/")"), value{"a\"b\\c\n\t/"});
  EXPECT_EQ(read(R"("\u00e4\u20ac\ud83d\ude00")"), value{"ä€😀"});
}

TEST(literal, reads_lists_and_objects) {
  EXPECT_EQ(read("[]"), value{list{}});
  EXPECT_EQ(read("{}"), value{object{}});
  EXPECT_EQ(read(R"([1, 2.5, "x", adam, [true]])"), (value{list{1, 2.5, "x", "adam", list{true}}}));
  EXPECT_EQ(read(R"({"a": 1, b:{"c": [null]}})"),
            (value{object{{"a", 1}, {"b", object{{"c", list{value{}}}}}}}));
}

TEST(literal, says_where_and_what_was_expected) {
  EXPECT_EQ(complaint(""), "column 1: expected a value, found the end");
  EXPECT_EQ(complaint("a b"), "column 3: expected nothing after the value, found 'b'");
  EXPECT_EQ(complaint("a,b"), "column 2: expected nothing after the value, found ','");
  EXPECT_EQ(complaint("'a'"),
            "column 1: expected a value (texts stand in double quotes), found '''");
  EXPECT_EQ(complaint("  \"abc"), "column 3: '\"' is never closed");
  EXPECT_EQ(complaint("\"abc\\"), "column 1: '\"' is never closed");
  EXPECT_EQ(complaint("[1, [2, 3]"), "column 1: '[' is never closed");
  EXPECT_EQ(complaint("[1, {a: 2"), "column 5: '{' is never closed");
  EXPECT_EQ(complaint("[1 2]"), "column 4: expected ',' or ']', found '2'");
  EXPECT_EQ(complaint("[1,]"), "column 4: expected a value, found ']'");
  EXPECT_EQ(complaint("{a 1}"), "column 4: expected ':', found '1'");
  EXPECT_EQ(complaint("{a: 1, a: 2}"), "column 8: the key \"a\" is given twice");
  EXPECT_EQ(complaint("{, b: 1}"), "column 2: expected a key, found ','");
  EXPECT_EQ(complaint(R"("\x")"), "column 2: unknown escape (write \\\\ for a backslash)");
  EXPECT_EQ(complaint(R"("\u12")"), "column 4: expected four hexadecimal digits after \\u");
  EXPECT_EQ(complaint(R"("\ud83d")"), "column 2: half of a surrogate pair");
  EXPECT_EQ(complaint("1e999"), "column 1: the number does not fit a 64-bit float");
}

TEST(literal, counts_columns_in_characters) {
  EXPECT_EQ(complaint("größe ü"), "column 7: expected nothing after the value, found 'ü'");
}

TEST(literal, refuses_deep_nesting_without_recursing) {
  auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };

  EXPECT_TRUE(parse_literal(nested(64)));
  EXPECT_EQ(complaint(nested(65)), "column 65: brackets are nested deeper than 64");
  EXPECT_EQ(complaint(std::string(1 << 20, '[')), "column 65: brackets are nested deeper than 64");
  EXPECT_EQ(complaint(std::string(1 << 20, '{')), "column 2: expected a key, found '{'");
}

TEST(literal, reads_large_texts_in_linear_time) {
  std::string many = "[0";
  for (int i = 0; i < 200000; ++i)
    many += ", x";
  EXPECT_EQ(read(many + "]").as_list()->size(), 200001u);
  EXPECT_EQ(complaint(many), "column 1: '[' is never closed");

  std::string keys = "{";
  for (int i = 0; i <= 1000; ++i)
    keys += (i == 0 ? "k" : ", k") + std::to_string(i) + ": 1";
  EXPECT_NE(complaint(keys + "}").find("an object has at most 1000 keys"), std::string::npos);
}

} // namespace
