// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/metric_expression.hpp"

#include "tune/io/process/metric_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tune {
namespace {

using testing::HasSubstr;

/// What an expression reads of a line; null where it does not match.
value read_by(const std::string& expression, const std::string& line) {
  auto uut = metric_pattern::make({.metrics = {{"loss", expression}}, .objective = "loss"});
  EXPECT_TRUE(uut) << uut.error().detail;
  auto report = uut->read(line);
  return report ? *report->find("loss") : value{};
}

/// What is said of that reading; empty: nothing.
std::string remark_on(const std::string& expression, const std::string& line) {
  auto uut = metric_pattern::make({.metrics = {{"loss", expression}}, .objective = "loss"});
  static_cast<void>(uut->read(line));
  auto remark = uut->take_remark();
  return remark ? remark->text : std::string{};
}

TEST(number_placeholder, takes_all_of_a_number) {
  EXPECT_EQ(read_by("loss: {number}", "loss: 7.522e-05"), value{7.522e-05});
  EXPECT_EQ(read_by("loss: {number}", "loss: -0.5, acc: 1"), value{-0.5});
  EXPECT_EQ(read_by("loss: {number}", "loss: +12"), value{12});
  EXPECT_EQ(read_by("loss={number}", "loss=.25."), value{0.25});
  EXPECT_EQ(read_by("loss={number}%", "loss=5.%"), value{5.0});
  EXPECT_EQ(read_by("loss={number}", "loss=1E+3x"), value{1e3});
  EXPECT_EQ(read_by("loss={number}", "loss=1.5D-03"), value{1.5e-3}) << "as Fortran writes it";
}

TEST(number_placeholder, knows_what_is_no_ordinary_number) {
  EXPECT_TRUE(std::isnan(*read_by("loss: {number}", "loss: nan").as_double()));
  EXPECT_TRUE(std::isnan(*read_by("loss: {number}", "loss: -NaN").as_double()));
  EXPECT_EQ(read_by("loss: {number}", "loss: -inf"), value{-INFINITY});
  EXPECT_EQ(read_by("loss: {number}", "loss: Infinity;"), value{INFINITY});
  EXPECT_EQ(read_by("loss: {number}", "loss: information"), value{});
  EXPECT_EQ(read_by("loss: {number}", "loss: none"), value{});
  EXPECT_EQ(read_by("loss: {number}", "loss: 1e999"), value{INFINITY});
}

TEST(number_placeholder, is_the_value_whatever_groups_there_are) {
  EXPECT_EQ(read_by("(train|val) loss ({number})", "val loss 0.5"), value{0.5});
  EXPECT_EQ(read_by("a={number} b={number}", "a=1 b=2"), value{1});
  EXPECT_EQ(read_by("(?:x|y)[(] ?{number}", "y( 3"), value{3});
}

TEST(number_placeholder, is_itself_where_it_is_escaped) {
  EXPECT_EQ(read_by("\\{number\\} (\\d+)", "{number} 3"), value{3});
}

TEST(metric_remark, tells_of_an_exponent_that_was_left_out_with_the_line) {
  EXPECT_EQ(remark_on("loss: ([0-9.]+)", "loss: 7.522e-05"),
            "metric.loss = loss: ([0-9.]+) reads 7.522 from the line \"loss: 7.522e-05\", where "
            "\"e-05\" follows it; {number} in the group's place reads all of a number");
  EXPECT_THAT(remark_on("loss: ([0-9.]+)", "loss: 1e5 s"), HasSubstr("\"e5\" follows it"));
  EXPECT_THAT(remark_on("loss: ([0-9.]+)", "loss: 2.5e-5s"), HasSubstr("\"e-5\" follows it"));
}

TEST(metric_remark, tells_of_a_sign_that_was_left_out) {
  EXPECT_THAT(remark_on("loss:\\s*-?([0-9.]+)", "loss: -0.5"), HasSubstr("\"-\" stands before it"));
  EXPECT_THAT(remark_on("loss.*?([0-9.]+)", "loss=-3"), HasSubstr("\"-\" stands before it"));
}

TEST(metric_remark, tells_of_digits_that_were_left_out) {
  EXPECT_THAT(remark_on("loss.*([0-9.]+)", "loss = 0.93"), HasSubstr("\"9\" stands before it"));
  EXPECT_THAT(remark_on("loss = ([0-9]+)", "loss = 0.93"), HasSubstr("\".93\" follows it"));
  EXPECT_THAT(remark_on("loss.*{number}", "loss = 0.93"), HasSubstr("mend what stands before"));
}

TEST(metric_remark, says_nothing_where_nothing_was_left_out) {
  EXPECT_EQ(remark_on("loss: ([0-9.]+)", "loss: 0.5"), "");
  EXPECT_EQ(remark_on("loss: ([0-9.]+)", "loss: 0.5, epoch 3"), "");
  EXPECT_EQ(remark_on("loss: ([0-9.]+)", "loss: 5 eggs"), "");
  EXPECT_EQ(remark_on("loss: ([0-9.]+)", "loss: 5e"), "");
  EXPECT_EQ(remark_on("loss-([0-9.]+)", "loss-5"), "") << "the sign is written";
  EXPECT_EQ(remark_on("loss of epoch.([0-9]+)", "loss of epoch-5"), "");
  EXPECT_EQ(remark_on("version ([0-9.]+)", "version 1.2.3"), "");
  EXPECT_EQ(remark_on("loss: (\\w+)", "loss: high-5"), "");
  EXPECT_EQ(remark_on("loss: {number}", "loss: -7.522e-05"), "");
}

TEST(metric_remark, comes_once_for_each_expression_of_all_attempts) {
  auto uut = metric_pattern::make(
      {.metrics = {{"loss", "loss ([0-9.]+)"}, {"acc", "acc ([0-9.]+)"}}, .objective = "loss"});
  ASSERT_TRUE(uut);
  auto other = uut->fresh();

  static_cast<void>(uut->read("loss 1e-5"));
  EXPECT_EQ(uut->take_remark()->about, "metric.loss");
  EXPECT_FALSE(uut->take_remark());
  static_cast<void>(other.read("loss 1e-6"));
  EXPECT_FALSE(other.take_remark());
  static_cast<void>(other.read("acc 1e-6"));
  EXPECT_EQ(other.take_remark()->about, "metric.acc");
}

TEST(metric_remark, shows_a_line_harmlessly_and_not_all_of_a_long_one) {
  auto text = remark_on("loss ([0-9.]+)", "\x1b[1mloss 1e-5" + std::string(1000, 'x'));
  EXPECT_THAT(text, HasSubstr("\\x1b[1mloss 1e-5"));
  EXPECT_LT(text.size(), 400u);
}

} // namespace
} // namespace tune
