// SPDX-License-Identifier: BSD-3-Clause
#include "console/human.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(human, writes_durations_with_two_units_at_most) {
  EXPECT_EQ(duration_text(0s), "0s");
  EXPECT_EQ(duration_text(-3s), "0s");
  EXPECT_EQ(duration_text(250ms), "250ms");
  EXPECT_EQ(duration_text(3400ms), "3.4s");
  EXPECT_EQ(duration_text(2min + 5s), "2m05s");
  EXPECT_EQ(duration_text(62min), "1h02m");
  EXPECT_EQ(duration_text(76h), "3d04h");
}

TEST(human, never_rounds_a_unit_up_to_its_whole) {
  EXPECT_EQ(duration_text(999600us), "1.0s");
  EXPECT_EQ(duration_text(59960ms), "1m00s");
  EXPECT_EQ(duration_text(59min + 59600ms), "1h00m");
  EXPECT_EQ(duration_text(23h + 59min + 40s), "1d00h");
}

TEST(human, writes_five_significant_digits) {
  EXPECT_EQ(number_text(0.981234567), "0.98123");
  EXPECT_EQ(number_text(1.23456e-5), "1.2346e-05");
  EXPECT_EQ(number_text(0.5), "0.5");
  EXPECT_EQ(number_text(123456), "123456");
  EXPECT_EQ(number_text(123456.7), "1.2346e+05");
  EXPECT_EQ(number_text(-2), "-2");
  EXPECT_EQ(number_text(1e12), "1e+12");
  EXPECT_EQ(number_text(NAN), "nan");
  EXPECT_EQ(number_text(infinity), "inf");
  EXPECT_EQ(number_text(-infinity), "-inf");
}

TEST(human, says_by_how_much_a_constraint_is_missed) {
  EXPECT_EQ(miss_text(0.5), "by 0.5");
  EXPECT_EQ(miss_text(std::numeric_limits<double>::denorm_min()), "at the limit");
  EXPECT_EQ(miss_text(3 * std::numeric_limits<double>::denorm_min()), "at the limit");
  EXPECT_EQ(miss_text(std::numeric_limits<double>::infinity()), "by inf");
}

TEST(human, names_the_constraints_that_are_missed_alone) {
  const auto all = parse_constraints("size <= 1, acc >= 0.5, loss < 2");
  ASSERT_TRUE(all);
  EXPECT_EQ(misses_text(*all, {{"size", 4}, {"acc", 0.636}, {"loss", 2.0}}),
            "size <= 1 by 3, loss < 2 at the limit");
  EXPECT_EQ(misses_text(*all, {{"size", 1}, {"acc", 0.636}, {"loss", 1.0}}), "");
  EXPECT_EQ(misses_text(*all, {{"size", 1}, {"loss", 1.0}}), "acc >= 0.5 by inf");
}

TEST(human, writes_configurations_in_one_line) {
  object inner{{"name", "adam"}, {"lr", 0.012345678}};
  object x{{"optimizer", inner}, {"hidden", 64}, {"fast", true}, {"layers", value::list{1, 2}}};

  EXPECT_EQ(config_text(x, {}), "optimizer.name=adam optimizer.lr=0.012346 hidden=64 fast=true "
                                "layers=[1,2]");
  EXPECT_EQ(config_text({}, {}), "");
}

TEST(human, shows_parameters_whose_values_are_objects_whole) {
  const object model{{"kind", "a"}, {"depth", 3}};
  const object x{{"model", model}, {"opt", object{{"lr", 0.5}, {"rule", model}}}};

  EXPECT_EQ(config_text(x, std::vector<std::string>{"model", "opt.rule"}),
            R"(model={"kind":"a","depth":3} opt.lr=0.5 opt.rule={"kind":"a","depth":3})");
}

TEST(human, names_metrics_as_options_do) {
  const object inner{{"n", std::int64_t{6}}, {"m", object{{"d", 0.5}}}};

  EXPECT_EQ(metrics_text({{"acc", 0.9}, {"extra", inner}, {"none", object{}}}),
            "acc=0.9 extra/n=6 extra/m/d=0.5 none={}");
  EXPECT_EQ(metrics_text({}), "");
}

TEST(human, quotes_texts_that_could_be_misread) {
  EXPECT_EQ(config_text({{"a", "two words"}, {"b", "1"}, {"c", ""}, {"d", "true"}}, {}),
            "a=\"two words\" b=\"1\" c=\"\" d=\"true\"");
  EXPECT_EQ(config_text({{"a\nb", "\x1b[2J"}}, {}), "a\\nb=\"\\x1b[2J\"");
  EXPECT_EQ(config_text({{"a", "d\"q"}, {"b", "c d\\"}}, {}), R"(a="d\"q" b="c d\\")");
}

TEST(human, writes_literals_that_read_back_as_the_same_kind) {
  EXPECT_EQ(literal_text(value{1}), "1");
  EXPECT_EQ(literal_text(value{1.0}), "1.0");
  EXPECT_EQ(literal_text(value{0.012345678}), "0.012345678");
  EXPECT_EQ(literal_text(value{"adam"}), "adam");
  EXPECT_EQ(literal_text(value{"1"}), "\"1\"");
  EXPECT_EQ(literal_text(value{"-1e400"}), "\"-1e400\"") << "refused where it is bare";
  EXPECT_EQ(literal_text(value{"+1e-400"}), "\"+1e-400\"");
  EXPECT_EQ(literal_text(value{"1.2.3"}), "1.2.3");
  EXPECT_EQ(literal_text(value{"a b"}), "\"a b\"");
  EXPECT_EQ(literal_text(value{"#1"}), "\"\\#1\"") << "a bare # starts a comment";
  EXPECT_EQ(literal_text(value{true}), "true");
  EXPECT_EQ(literal_text(value{value::list{1, "x"}}), "[1,\"x\"]");
}

TEST(human, counts_with_the_right_plural) {
  EXPECT_EQ(counted(0, "trial"), "0 trials");
  EXPECT_EQ(counted(1, "trial"), "1 trial");
  EXPECT_EQ(counted(2, "trial"), "2 trials");
}

} // namespace
} // namespace tune::cli
