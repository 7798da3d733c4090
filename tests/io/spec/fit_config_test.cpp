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

TEST(fit_config, floats_that_are_whole_numbers_stand_for_them_as_programs_write_them) {
  auto space = search_space::parse({{"model.depth", "randint(1, 4)"},
                                    {"width", "qrandint(0, 64, 8)"},
                                    {"below", "randint(0, {width})"},
                                    {"k", "choice(1, 2, two)"},
                                    {"rate", "grid(0.5, 1.0)"},
                                    {"fixed", "3"},
                                    {"order", "permutation(1, 2)"},
                                    {"with", "subset(1, 2)"}});
  ASSERT_TRUE(space) << space.error().detail;

  auto made = complete_config({{"model", object{{"depth", 1.0}}},
                               {"width", 16.0},
                               {"below", 15.0},
                               {"k", 2.0},
                               {"rate", 1},
                               {"fixed", 3.0},
                               {"order", value::list{2.0, 1.0}},
                               {"with", value::list{2.0, 1.0}}},
                              *space);

  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(*made, (object{{"model", object{{"depth", 1}}},
                           {"width", 16},
                           {"below", 15},
                           {"k", 2},
                           {"rate", 1.0},
                           {"fixed", 3},
                           {"order", value::list{2, 1}},
                           {"with", value::list{1, 2}}}));
}

TEST(fit_config, floats_that_could_be_several_values_or_none_stay_as_they_are_written) {
  auto space = search_space::parse({{"n", "randint(1, 4)"},
                                    {"both", "choice(1, 1.0, 2)"},
                                    {"zeros", "choice(0.0, -0.0)"},
                                    {"flag", "choice(true, \"1\")"}});
  ASSERT_TRUE(space) << space.error().detail;
  const object given{{"n", 1.5}, {"both", 1.0}, {"zeros", 0}, {"flag", 1.0}};

  EXPECT_EQ(fit_config(given, *space), given);
  EXPECT_EQ(fit_config({{"n", 0x1p63}}, *space), (object{{"n", 0x1p63}})) << "beyond 64 bits";
  EXPECT_EQ(complete_config({{"n", 1.5}, {"both", 1}, {"zeros", 0.0}, {"flag", true}}, *space)
                .error()
                .detail,
            "\"n\": 1.5 is not in randint(1, 4)");
  EXPECT_EQ(complete_config({{"n", 1}, {"both", 1}, {"zeros", 0.0}, {"flag", 1.0}}, *space)
                .error()
                .detail,
            "\"flag\": 1.0 is not in choice(true, \"1\")");
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
