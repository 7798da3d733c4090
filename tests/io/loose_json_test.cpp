// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/loose_json.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tune {
namespace {

TEST(loose_json, understands_bare_words_for_numbers_that_are_none) {
  auto read = object_from_loose_json(
      R"({"a":NaN,"b":[Infinity,-Infinity],"c":"NaN and \"Infinity"})", json_position::metric);

  ASSERT_TRUE(read);
  EXPECT_TRUE(std::isnan(*read->find("a")->as_double()));
  EXPECT_EQ(*read->find("b"), (value{value::list{HUGE_VAL, -HUGE_VAL}}));
  EXPECT_EQ(*read->find("c"), value{"NaN and \"Infinity"});
}

TEST(loose_json, leaves_them_texts_in_plain_data) {
  auto read = object_from_loose_json(R"({"a":NaN})");

  ASSERT_TRUE(read);
  EXPECT_EQ(*read->find("a"), value{"nan"});
}

TEST(loose_json, refuses_what_is_no_json_either_way) {
  for (const auto* text : {"", "{", R"({"a":Nan})", R"({"a":NaN)", "NaN", R"({NaN:1} Infinity)"})
    EXPECT_FALSE(object_from_loose_json(text)) << text;
}

TEST(loose_json, says_what_is_wrong_beside_the_bare_words) {
  auto why = [](std::string_view text) {
    auto read = object_from_loose_json(text, json_position::metric);
    return read ? std::string{} : read.error().detail;
  };

  EXPECT_EQ(why(R"({"m":NaN,"x":1e400})"), why(R"({"m":123,"x":1e400})"));
  EXPECT_NE(why(R"({"m":NaN,"x":1e400})").find("1e400"), std::string::npos);
  EXPECT_EQ(why(R"({"m":-Infinity,"x":[1})"), why(R"({"m":123456789,"x":[1})"));
}

TEST(loose_json, keeps_to_its_limits) {
  json_limits limits;
  limits.bytes = 8;

  EXPECT_FALSE(object_from_loose_json(R"({"a":NaN})", json_position::plain, limits));
}

} // namespace
} // namespace tune
