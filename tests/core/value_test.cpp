// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/value_set.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace tune {
namespace {

TEST(object, keeps_the_order_of_insertion_and_one_value_per_name) {
  object uut{{"b", 1}, {"a", 2}, {"b", 3}};

  ASSERT_EQ(uut.size(), 2u);
  EXPECT_EQ(uut.begin()->first, "b");
  EXPECT_EQ(*uut.find("b"), value{3});
  EXPECT_TRUE(uut.erase("b"));
  EXPECT_FALSE(uut.erase("b"));
  EXPECT_EQ(uut.find("b"), nullptr);
}

TEST(object, taken_in_bulk_keeps_the_first_place_and_the_last_value) {
  auto uut = object::of({{"b", 1}, {"a", 2}, {"b", 3}, {"c", 4}, {"a", 5}, {"b", 6}});

  EXPECT_EQ(uut, (object{{"b", 6}, {"a", 5}, {"c", 4}}));
  EXPECT_TRUE(object::of({}).empty());
}

TEST(value, tells_integers_floats_and_bools_apart) {
  EXPECT_NE(value{1}, value{1.0});
  EXPECT_NE(value{true}, value{1});
  EXPECT_NE(value{"1"}, value{1});
}

TEST(value, compares_floats_by_their_bits) {
  auto nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(value{nan}, value{nan});
  EXPECT_EQ(value{nan}, value{-nan});
  EXPECT_NE(value{0.0}, value{-0.0});
}

TEST(value, finds_nested_metrics_by_path_and_prefers_a_whole_name) {
  object where{{"eval", object{{"loss", 0.5}, {"by/class", object{{"a", 1}}}}}, {"a/b", 7}};

  EXPECT_EQ(*find_path(where, "eval/loss"), value{0.5});
  EXPECT_EQ(*find_path(where, "eval/by/class/a"), value{1});
  EXPECT_EQ(*find_path(where, "a/b"), value{7});
  EXPECT_EQ(find_path(where, "eval/accuracy"), nullptr);
}

TEST(value, is_shown_in_its_shortest_exact_form) {
  EXPECT_EQ(to_text(value{0.1}), "0.1");
  EXPECT_EQ(to_text(value{1e-10}), "1e-10");
  EXPECT_EQ(to_text(value{std::numeric_limits<double>::infinity()}), "inf");
  EXPECT_EQ(to_text(value{value::list{1, "x", nullptr}}), "[1, x, null]");
  EXPECT_EQ(to_text(value{object{{"lr", 0.5}}}), "{lr: 0.5}");
}

TEST(value_set, tells_values_apart_as_equality_does) {
  const std::vector<value> all{
      nullptr, false, 0, 0.0, -0.0, "", "0", value::list{0}, value::list{0.0}, object{{"a", 0}}};
  value_set uut;

  for (const auto& x : all)
    EXPECT_TRUE(uut.insert(x).second) << to_text(x);
  for (const auto& x : all)
    EXPECT_FALSE(uut.insert(x).second) << to_text(x);
  EXPECT_EQ(uut.size(), all.size());
}

} // namespace
} // namespace tune
