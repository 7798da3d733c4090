// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/fit_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using testing::HasSubstr;

search_space a_space() {
  auto made = search_space::parse({{"optimizer.kind", "choice(sgd, adam)"},
                                   {"optimizer.lr", "loguniform(1e-4, 1)"},
                                   {"momentum", "uniform(0, 1) if optimizer.kind == sgd"},
                                   {"steps", "7 if optimizer.kind == adam"},
                                   {"batch", "64"}});
  EXPECT_TRUE(made) << made.error().detail;
  return std::move(*made);
}

std::string why_not(object config) {
  auto made = complete_config(config, a_space());
  return made ? "fine" : made.error().detail;
}

TEST(fit_config, dots_make_objects_and_whole_numbers_floats_and_constants_are_filled_in) {
  auto made = complete_config({{"optimizer.lr", 1}, {"optimizer.kind", "adam"}}, a_space());

  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(
      *made,
      (object{{"optimizer", object{{"kind", "adam"}, {"lr", 1.0}}}, {"steps", 7}, {"batch", 64}}));
}

TEST(fit_config, members_of_subsets_come_in_the_order_of_the_space) {
  auto space = search_space::parse(
      {{"with", "subset(a, b, c)"}, {"order", "permutation(a, b)"}, {"deep.with", "subset(1, 2)"}});
  ASSERT_TRUE(space) << space.error().detail;
  const value::list out_of_order{"c", "a"};

  auto made = complete_config({{"with", out_of_order},
                               {"order", value::list{"b", "a"}},
                               {"deep", object{{"with", value::list{2, 1}}}}},
                              *space);

  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(*made, (object{{"with", value::list{"a", "c"}},
                           {"order", value::list{"b", "a"}},
                           {"deep", object{{"with", value::list{1, 2}}}}}));
  EXPECT_EQ(fit_config({{"with", value::list{"c", "x"}}}, *space),
            (object{{"with", value::list{"c", "x"}}}))
      << "no value of the domain";
}

TEST(fit_config, constants_may_be_given_as_they_are) {
  EXPECT_EQ(why_not({{"optimizer", object{{"kind", "adam"}, {"lr", 0.5}}}, {"batch", 64}}), "fine");
  EXPECT_THAT(why_not({{"optimizer", object{{"kind", "adam"}, {"lr", 0.5}}}, {"batch", 65}}),
              HasSubstr("\"batch\""));
}

TEST(fit_config, what_is_missing_wrong_unknown_or_inactive_is_named) {
  EXPECT_THAT(why_not({{"optimizer.kind", "sgd"}, {"optimizer.lr", 0.5}}),
              HasSubstr("\"momentum\": is missing"));
  EXPECT_THAT(why_not({{"optimizer.kind", "sgd"}, {"optimizer.lr", 5}, {"momentum", 0.5}}),
              HasSubstr("\"optimizer.lr\""));
  EXPECT_THAT(why_not({{"optimizer.kind", "adam"}, {"optimizer.lr", 0.5}, {"hue", 1}}),
              HasSubstr("\"hue\""));
  EXPECT_THAT(why_not({{"optimizer.kind", "adam"}, {"optimizer.lr", 0.5}, {"momentum", 0.5}}),
              HasSubstr("\"momentum\""));
  EXPECT_THAT(why_not({}), HasSubstr("\"optimizer.kind\": is missing"));
}

} // namespace
} // namespace tune
