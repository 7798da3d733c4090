/// Configurations of other spaces, placed as points of one space.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/encoding/encoding.hpp"
#include "tune/core/space/nearest.hpp"

#include "support/asking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace tune;
using namespace tune::support;

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

encoding encoding_of(const std::vector<parameter_text>& lines) {
  auto made = encoding::make(space_of(lines), "uut");
  EXPECT_TRUE(made) << made.error().detail;
  return std::move(*made);
}

std::optional<value> near(const std::string& text, const value& x) {
  return nearest_in(*parse_domain(text), x);
}

TEST(nearest_in, takes_numbers_to_the_next_value_between_the_ends) {
  EXPECT_EQ(near("uniform(0, 1)", 1), value{1.0});
  EXPECT_EQ(near("uniform(0, 1)", 1.5), std::nullopt);
  EXPECT_EQ(near("quniform(0, 1, 0.25)", 0.4), value{0.5});
  EXPECT_EQ(near("randint(1, 5)", 2.6), value{3});
  EXPECT_EQ(near("randint(1, 5)", 4.0), value{4});
  EXPECT_EQ(near("randint(1, 5)", 5), std::nullopt);
  EXPECT_EQ(near("qrandint(0, 100, 10)", 26), value{30});
  EXPECT_EQ(near("qrandint(0, 100, 10)", 104), std::nullopt);
  EXPECT_EQ(near("choice(32, 64, 128)", 100), value{128});
  EXPECT_EQ(near("choice(32, 64, 128)", 16), std::nullopt);
  EXPECT_EQ(near("randn(0, 1)", 7), value{7.0});
}

TEST(nearest_in, knows_nothing_of_values_of_another_kind) {
  EXPECT_EQ(near("uniform(0, 1)", "a"), std::nullopt);
  EXPECT_EQ(near("uniform(0, 1)", nan), std::nullopt);
  EXPECT_EQ(near("uniform(0, 1)", true), std::nullopt);
  EXPECT_EQ(near("choice(a, b)", "b"), value{"b"});
  EXPECT_EQ(near("choice(a, b)", "c"), std::nullopt);
  EXPECT_EQ(near("choice(a, 1)", 1.0), std::nullopt);
  EXPECT_EQ(near("subset(a, b)", value::list{"b"}), (value{value::list{"b"}}));
  EXPECT_EQ(near("permutation(a, b)", value::list{"b", "c"}), std::nullopt);
}

TEST(placed, has_no_coordinate_for_what_a_configuration_lacks) {
  auto uut = encoding_of({{"x", "uniform(0, 2)"}, {"y", "uniform(0, 1)"}, {"k", "choice(a, b)"}});

  auto at = uut.placed({{"x", 0.5}, {"k", "b"}, {"other", 3}});

  ASSERT_TRUE(at);
  EXPECT_DOUBLE_EQ((*at)[0], 0.25);
  EXPECT_TRUE(std::isnan((*at)[1]));
  EXPECT_EQ((*at)[2], 1);
  EXPECT_FALSE(uut.placed({{"x", 3.0}, {"k", "b"}}));
  EXPECT_FALSE(uut.placed({{"k", "c"}}));
}

TEST(placed, puts_values_where_they_stand_in_ranges_that_depend_on_others) {
  const std::vector<parameter_text> lines{{"b", "uniform(0, {a})"}, {"a", "uniform(1, 2)"}};
  auto uut = encoding_of(lines);

  const object inside{{"a", 1.5}, {"b", 0.5}};
  auto at = uut.placed(inside);

  ASSERT_TRUE(at);
  EXPECT_EQ(*at, *uut.encoded(inside));
  EXPECT_EQ(uut.placed({{"a", 1.5}, {"b", 1.7}}), std::nullopt);
  // Without a, b's range at that time is unknown.
  auto alone = uut.placed({{"b", 0.5}});
  ASSERT_TRUE(alone);
  EXPECT_TRUE(std::isnan((*alone)[0]));
  EXPECT_TRUE(std::isnan((*alone)[1]));
}

TEST(placed, keeps_a_value_of_which_nobody_knows_whether_it_is_active) {
  auto uut = encoding_of({{"opt", "choice(adam, sgd)"},
                          {"momentum", "uniform(0, 1) if opt == sgd"},
                          {"nesterov", "choice(true, false) if momentum > 0.5"}});

  auto unknown = uut.placed({{"momentum", 0.25}, {"nesterov", false}});
  auto known = uut.placed({{"opt", "adam"}, {"momentum", 0.25}});

  ASSERT_TRUE(unknown && known);
  EXPECT_TRUE(std::isnan((*unknown)[0]));
  EXPECT_DOUBLE_EQ((*unknown)[1], 0.25);
  EXPECT_EQ((*unknown)[2], 1);
  EXPECT_TRUE(std::isnan((*known)[1]));
}

} // namespace
