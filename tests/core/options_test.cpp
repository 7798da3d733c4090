// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/options.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace tune;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<option_spec> known() {
  option_spec eta{"eta", option_kind::integer, "4", 2};
  option_spec rate{"rate", option_kind::number, "0.25", 0, 0.5};
  option_spec slice{"slice", option_kind::duration, "1m", 0};
  slice.open_low = true;
  option_spec hard{"hard_stop", option_kind::boolean, "true"};
  option_spec mode{"mode", option_kind::text, "max"};
  mode.choices = {"min", "max"};
  option_spec limit{"limit", option_kind::number, "inf", 0};
  option_spec attribute{"time_attr", option_kind::text, ""};
  return {eta, rate, slice, hard, mode, limit, attribute};
}

std::string refused(const std::map<std::string, std::string>& written) {
  auto result = options::parse(known(), written);
  return result ? "accepted" : result.error().detail;
}

TEST(options, write_the_bounds_of_counts_out) {
  option_spec count{"count", option_kind::integer, "", 0, 1e6};
  option_spec share{"share", option_kind::number, "", 1e-7, 0.5};

  EXPECT_EQ(range_text(count), "0 to 1000000");
  EXPECT_EQ(range_text(share), "1e-07 to 0.5");
}

TEST(options, fills_in_defaults) {
  auto uut = options::parse(known(), {});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->integer("eta"), 4);
  EXPECT_EQ(uut->number("rate"), 0.25);
  EXPECT_EQ(uut->seconds("slice"), 60);
  EXPECT_TRUE(uut->boolean("hard_stop"));
  EXPECT_EQ(uut->text("mode"), "max");
  EXPECT_EQ(uut->number("limit"), infinity);
  EXPECT_FALSE(uut->has("time_attr"));
  EXPECT_FALSE(uut->has("no_such"));
}

TEST(options, prefers_what_was_written) {
  auto uut = options::parse(known(), {{"eta", "3"},
                                      {"rate", "0.5"},
                                      {"slice", "1h30m"},
                                      {"hard_stop", "no"},
                                      {"mode", "min"},
                                      {"limit", "7"},
                                      {"time_attr", "epoch"}});

  ASSERT_TRUE(uut) << uut.error().detail;
  EXPECT_EQ(uut->integer("eta"), 3);
  EXPECT_EQ(uut->number("rate"), 0.5);
  EXPECT_EQ(uut->seconds("slice"), 5400);
  EXPECT_FALSE(uut->boolean("hard_stop"));
  EXPECT_EQ(uut->text("mode"), "min");
  EXPECT_EQ(uut->number("limit"), 7);
  EXPECT_EQ(uut->text("time_attr"), "epoch");
}

TEST(options, refuses_values_out_of_range_and_tells_the_range) {
  EXPECT_EQ(refused({{"eta", "1"}}), "eta = 1: must be >= 2");
  EXPECT_EQ(refused({{"eta", "2.5"}}), "eta = 2.5: must be a whole number >= 2");
  EXPECT_EQ(refused({{"rate", "0.6"}}), "rate = 0.6: must be 0 to 0.5");
  EXPECT_EQ(refused({{"rate", "nan"}}), "rate = nan: must be a number, 0 to 0.5");
  EXPECT_EQ(refused({{"slice", "0"}}), "slice = 0: must be > 0");
  EXPECT_EQ(refused({{"hard_stop", "maybe"}}), "hard_stop = maybe: must be true or false");
  EXPECT_EQ(refused({{"mode", "mex"}}), "mode = mex: must be one of: min, max; did you mean "
                                        "\"max\"?");
}

TEST(options, say_what_is_wanted_where_there_is_no_number) {
  EXPECT_EQ(refused({{"eta", "abc"}}), "eta = abc: must be a whole number >= 2");
  EXPECT_EQ(refused({{"rate", "half"}}), "rate = half: must be a number, 0 to 0.5");
  EXPECT_EQ(refused({{"slice", "soon"}}),
            "slice = soon: must be a duration > 0, such as 90, 500ms, 10m, 1.5h");
  EXPECT_EQ(refused({{"limit", "none"}}), "limit = none: must be a number >= 0");
}

TEST(options, refuses_nothing_where_something_is_needed) {
  option_spec needed;
  needed.name = "time_attr";
  needed.fallback = "training_iteration";
  option_spec optional;
  optional.name = "mutate";

  auto empty = options::parse({needed, optional}, {{"time_attr", ""}});

  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error(), (error{ec::bad_option, "time_attr = : must not be empty"}));
  EXPECT_TRUE(options::parse({needed, optional}, {{"mutate", ""}}));
}

TEST(options, takes_infinity_only_where_it_is_the_default) {
  EXPECT_EQ(refused({{"limit", "inf"}}), "accepted");
  EXPECT_EQ(refused({{"limit", "-inf"}}), "limit = -inf: must be >= 0");
  EXPECT_EQ(refused({{"slice", "inf"}}), "slice = inf: must be a finite duration > 0, such as 90, "
                                         "500ms, 10m, 1.5h");
}

TEST(options, names_the_nearest_of_a_mistyped_name) {
  auto result = options::parse(known(), {{"hard-stpo", "true"}});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ec::unknown_name);
  EXPECT_EQ(result.error().detail,
            "\"hard-stpo\" is not a known option; did you mean \"hard_stop\"?");
  EXPECT_EQ(refused({{"xyzzy", "1"}}), "\"xyzzy\" is not a known option; known: eta, rate, slice, "
                                       "hard_stop, mode, limit, time_attr");
}

TEST(options, describe_their_range) {
  EXPECT_EQ(range_text(known()[0]), ">= 2");
  EXPECT_EQ(range_text(known()[1]), "0 to 0.5");
  EXPECT_EQ(range_text(known()[2]), "> 0");
  EXPECT_EQ(range_text(known()[3]), "true or false");
  EXPECT_EQ(range_text(known()[4]), "one of: min, max");
  EXPECT_EQ(range_text(known()[6]), "");
  EXPECT_EQ(range_text({"x", option_kind::number, "1", -infinity, 2}), "<= 2");
  EXPECT_EQ(range_text({"x", option_kind::duration, "1", 0.5, 2}), "0.5s to 2s");
}

TEST(nearest_name, finds_typing_mistakes_and_nothing_else) {
  std::vector<std::string> names{"loguniform", "uniform", "lr", "a"};

  EXPECT_EQ(nearest_name("loguniforn", names), "loguniform");
  EXPECT_EQ(nearest_name("unifrom", names), "uniform");
  EXPECT_EQ(nearest_name("LR", names), "lr");
  EXPECT_EQ(nearest_name("rl", names), "lr");
  EXPECT_EQ(nearest_name("b", names), "");
  EXPECT_EQ(nearest_name("A", names), "a");
  EXPECT_EQ(nearest_name("momentum", names), "");
  EXPECT_EQ(nearest_name(std::string(1 << 20, 'x'), names), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(nearest_name, goes_on_where_only_one_name_does) {
  std::vector<std::string> names{"grace_period", "stop_last_trials", "stop_at_once",
                                 "reduction_factor"};

  EXPECT_EQ(nearest_name("grace", names), "grace_period");
  EXPECT_EQ(nearest_name("Reduction", names), "reduction_factor");
  EXPECT_EQ(nearest_name("stop", names), "");
  EXPECT_EQ(nearest_name("gr", names), "");
  EXPECT_EQ(nearest_name("grace_time", names), "");
}

TEST(parse_seconds, takes_each_unit_once_and_the_larger_first) {
  for (const auto* text : {"1h1h", "1m1h", "5s5s", "1h1m1m"})
    EXPECT_FALSE(parse_seconds(text)) << text;
}

TEST(parse_seconds, reads_numbers_with_and_without_units) {
  EXPECT_EQ(*parse_seconds("90"), 90);
  EXPECT_EQ(*parse_seconds("1.5h"), 5400);
  EXPECT_EQ(*parse_seconds("10m"), 600);
  EXPECT_EQ(*parse_seconds("2s"), 2);
  EXPECT_EQ(*parse_seconds("500ms"), 0.5);
  EXPECT_EQ(*parse_seconds("1d2h3m4s"), 93784);
  EXPECT_EQ(*parse_seconds("1d"), 86400);
  EXPECT_EQ(*parse_seconds("1h30m"), 5400);
  EXPECT_EQ(*parse_seconds("inf"), infinity);
}

TEST(parse_seconds, refuses_everything_else) {
  for (auto text : {"", "s", "h1", "-5", "-5s", "5 s", "5x", "5ss", "nan", "1h30", "1.2.3s"})
    EXPECT_FALSE(parse_seconds(text)) << text;
}

TEST(parse_integer, takes_whole_numbers_of_64_bits_only) {
  EXPECT_EQ(*parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(*parse_integer("+7"), 7);
  for (auto text : {"", "+", "-", "1.0", "1e3", " 1", "1 ", "0x1", "+-1", "9223372036854775808"})
    EXPECT_FALSE(parse_integer(text)) << text;
}

TEST(parse_number, is_exact_and_takes_no_trailing_text) {
  EXPECT_EQ(*parse_number("0.1"), 0.1);
  EXPECT_EQ(*parse_number("+1e-5"), 1e-5);
  EXPECT_TRUE(std::isnan(*parse_number("nan")));
  EXPECT_EQ(*parse_number("-inf"), -infinity);
  for (auto text : {"", "1,5", "1e", "1 ", "0x1p3", "1e999", "--1"})
    EXPECT_FALSE(parse_number(text)) << text;
}

} // namespace
