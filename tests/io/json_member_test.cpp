// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/json_member.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace tune {
namespace {

TEST(json_member, finds_what_find_path_finds) {
  const object where{
      {"a/b", 1},        {"a", object{{"b", 2}, {"c", object{{"d/e", "x"}, {"f", true}}}}},
      {"loss", -0.5},    {"list", value::list{1, "}", object{{"q", 1}}}},
      {"quote\"d\n", 7}, {"ünï", value{}}};
  const auto text = to_json(where);

  for (const auto* path : {"a/b", "a", "a/c/d/e", "a/c/f", "a/c/g", "loss", "list", "list/q",
                           "quote\"d\n", "ünï", "b", "", "a/", "/a", "a/b/c"}) {
    const auto* wanted = find_path(where, path);
    const auto found = json_member(text, path, '/');
    ASSERT_EQ(found.has_value(), wanted != nullptr) << path;
    EXPECT_TRUE(!found || *found == to_json(*wanted)) << path;
  }
}

TEST(json_member, parts_the_names_of_parameters_at_dots) {
  EXPECT_EQ(json_member(R"({"optimizer":{"lr":0.5}})", "optimizer.lr", '.'), "0.5");
  EXPECT_EQ(json_member(R"( { "x" : [1, {"y": "]"}] , "z" : 3 } )", "z", '.'), "3");
}

TEST(json_member, finds_nothing_in_what_is_no_object) {
  const std::string whole = R"({"x\"":[1,{"y":"a\\"}],"loss":1})";
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto found = json_member(whole.substr(0, i), "loss", '/');
    EXPECT_FALSE(found) << i;
  }
  for (const auto* text : {"", "[]", "1", "null", "{", "{\"", "{,}", "{\"a\" 1}", "{\"loss\":}",
                           "{\"a\":]}", "{\"a\":1;\"loss\":2}", "\\", "{\"loss\\"})
    EXPECT_FALSE(json_member(text, "loss", '/')) << text;
}

TEST(json_number, is_that_of_the_value_read_as_a_whole) {
  for (const auto* text : {"0", "-0.0", "1e300", "12345678901234567890", "1.5e-3", "true", "false",
                           "\"x\"", "null", "[]", "\"nan\"", "\"inf\"", "\"-inf\""}) {
    for (auto where : {json_position::plain, json_position::metric}) {
      const auto wanted = from_json(text, where)->number();
      const auto found = json_number(text, where);
      ASSERT_EQ(found.has_value(), wanted.has_value()) << text;
      EXPECT_TRUE(!found || *found == *wanted || std::isnan(*wanted)) << text;
    }
  }
}

TEST(json_number, is_not_in_other_texts) {
  for (const auto* text : {"", "-", "nan", "inf", "-inf", "+1", "0x10", "1 ", "1,", "truely"})
    EXPECT_FALSE(json_number(text, json_position::metric)) << text;
}

} // namespace
} // namespace tune
