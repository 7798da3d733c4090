// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/metric_expression.hpp"

#include "tune/io/process/metric_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <utility>

namespace tune {
namespace {

using testing::HasSubstr;

/// The value that an expression reads from a line; null if it does not match.
value read_by(const std::string& expression, const std::string& line) {
  auto uut = metric_pattern::make({.metrics = {{"loss", expression}}, .objective = "loss"});
  EXPECT_TRUE(uut) << uut.error().detail;
  auto report = uut->read(line);
  return report ? *report->find("loss") : value{};
}

/// The remark on that reading; empty if there is none.
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

TEST(number_placeholder, tells_of_what_no_float_can_hold) {
  EXPECT_EQ(remark_on("loss: {number}", "loss: -1e400"),
            "metric.loss = loss: {number} reads -1e400 from the line \"loss: -1e400\", where it is"
            " beyond what a float can hold, and counts as infinite; let the program print a smaller"
            " number, or inf if that is meant");
  EXPECT_NE(remark_on("loss: {number}", "loss: 1.5D400"), "");
  for (const auto* usual : {"loss: 1e300", "loss: 1e-400", "loss: inf", "loss: -inf"})
    EXPECT_EQ(remark_on("loss: {number}", usual), "");
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
  EXPECT_THAT(remark_on("loss.*([0-9.]+)", "loss = 0.93"), HasSubstr("\"0.9\" stands before it"));
  EXPECT_THAT(remark_on("loss = ([0-9]+)", "loss = 0.93"), HasSubstr("\".93\" follows it"));
  EXPECT_THAT(remark_on("loss.*{number}", "loss = 0.93"), HasSubstr("mend what stands before"));
}

/// An expression, a line, and part of the remark on the value.
struct reading_case {
  const char* expression;
  const char* line;
  const char* said;
};

std::ostream& operator<<(std::ostream& out, const reading_case& x) {
  return out << x.expression << " on " << x.line;
}

TEST(metric_remark, does_not_take_what_begins_in_the_middle_of_a_number) {
  const reading_case cases[] = {
      {"loss.*{number}", "loss 0.5", "\"0.\" stands before it"},
      {"loss.*{number}", "loss = 0.93", "\"0.9\" stands before it"},
      {"loss.*{number}", "loss .5", "\".\" stands before it"},
      {"loss.{number}", "loss10.5", "\"1\" stands before it"},
      {"loss[^,]*{number}", "loss 0.5, 7", "\"0.\" stands before it"},
      {"loss.*.{number}", "loss 0.5", "\"0.\" stands before it"},
      {"loss.*([0-9]+)", "loss 12.5", "\"12.\" stands before it"},
      {"loss.*([0-9.]+)", "loss 12.5", "\"12.\" stands before it"},
      {"loss [^-]*-{number}", "loss 7.5e-05", "\"7.5e-\" stands before it"},
      {"loss.*?([+-][0-9]+)", "loss 7.5e-05", "\"7.5e\" stands before it"},
      {"loss.*{number}", "loss 1.5e3", "\"1.5e\" stands before it"},
      {"loss.*{number}", "loss 1.5d-3", "\"1.5d-\" stands before it"},
      {"loss.*?([0-9.]+)", "loss -3", "\"-\" stands before it"},
      {"loss -?{number}", "loss -3", "\"-\" stands before it"},
      {"loss \\D*{number}", "loss −3", "\"−\" stands before it"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(read_by(each.expression, each.line), value{}) << each;
    EXPECT_THAT(remark_on(each.expression, each.line), HasSubstr(each.said)) << each;
    EXPECT_THAT(remark_on(each.expression, each.line), HasSubstr("does not take")) << each;
  }
}

TEST(metric_remark, does_not_take_a_number_that_is_cut_at_a_separator) {
  const reading_case cases[] = {
      {"loss: {number}", "loss: 1,234.5", "\",234\" follows it"},
      {"loss: {number}", "loss: -1,234,567", "\",234,567\" follows it"},
      {"loss: ([0-9.]+)", "loss: 1,234.5", "\",234\" follows it"},
      {"loss: {number}", "loss: 1_000", "\"_000\" follows it"},
      {"loss: {number}", "loss: 1'234", "\"'234\" follows it"},
      {"loss: {number}", "loss: 1\u202f234", "\"\u202f234\" follows it"},
      {"loss: {number}", "loss: 0x1f", "\"x1f\" follows it"},
      {"loss: {number}", "loss: 0b101;", "\"b101\" follows it"},
      {"loss: {number}", "loss: 1.2.3", "\".3\" follows it"},
      {"loss: {number}", "loss: 1e5.5", "\".5\" follows it"},
      {"loss: {number}", "loss: 0.123-105", "\"-105\" follows it"},
      {"loss: {number}", "loss: -.5+100 s", "\"+100\" follows it"},
      {"loss: {number}", "loss: 1.5q-3", "\"q-3\" follows it"},
      {"loss: {number}", "loss: 1.5*10^-3", "\"*10^-3\" follows it"},
      {"loss: {number}", "loss: 1.5 x 10**5", "\" x 10**5\" follows it"},
      {"loss: {number}", "loss: 1.5×10^{-3}", "\"×10^{-3}\" follows it"},
      {"loss: {number}", "loss: -1.#IND", "\"#IND\" follows it"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(read_by(each.expression, each.line), value{}) << each;
    EXPECT_THAT(remark_on(each.expression, each.line), HasSubstr(each.said)) << each;
    EXPECT_THAT(remark_on(each.expression, each.line), HasSubstr("plain number")) << each;
  }
}

TEST(metric_remark, takes_what_is_in_doubt_and_says_so) {
  const std::pair<reading_case, value> cases[] = {
      {{"{number}", "epoch10 loss 0.5", "part of \"epoch10\""}, value{10}},
      {{"loss.*?{number}", "loss v2 0.5", "part of \"v2\""}, value{2}},
      {{"{number}", "resnet-5 loss 0.5", "part of \"resnet-5\""}, value{-5}},
      {{"{number}", "step.5", "part of \"step.5\""}, value{0.5}},
      {{"top.*?{number}", "top_5 0.5", "part of \"top_5\""}, value{5}},
      {{"{number}", "3fa9c loss 0.5", "part of \"3fa9c\""}, value{3}},
      {{"loss: {number}", "loss: 1.5k", "\"k\" follows it"}, value{1.5}},
      {{"loss: {number}", "loss: 0,5", "\",5\" follows it"}, value{0}},
      {{"loss: {number}", "loss: 1.234,5", "\",5\" follows it"}, value{1.234}},
      {{"loss: {number}", "loss: 1,23456", "\",23456\" follows it"}, value{1}},
      {{"loss: {number}", "loss: 2024_05", "\"_05\" follows it"}, value{2024}},
      {{"{number}", "12:30:05 loss 0.5", "\":30\" follows it"}, value{12}},
      {{"{number}", "2026-11-24 loss 0.5", "\"-11\" follows it"}, value{2026}},
      {{"{number} loss", "2024-11-5 loss", "part of \"2024-11-5\""}, value{-5}},
      {{"loss: {number}", "loss: 1.5 e-05", "\"e-05\" follows it"}, value{1.5}},
      {{"version ([0-9]+)", "version 1.2.3", "\".2.3\" follows it"}, value{1}},
  };
  for (const auto& [each, taken] : cases) {
    EXPECT_EQ(read_by(each.expression, each.line), taken) << each;
    EXPECT_THAT(remark_on(each.expression, each.line), HasSubstr(each.said)) << each;
    EXPECT_THAT(remark_on(each.expression, each.line), HasSubstr(" reads ")) << each;
  }
}

TEST(metric_remark, says_nothing_of_what_the_expression_demands) {
  const std::pair<reading_case, value> cases[] = {
      {{"0\\.{number}", "loss 0.5", ""}, value{5}},
      {{"loss=0*{number}", "loss=007", ""}, value{7}},
      {{"\\d([0-9])", "loss 12", ""}, value{2}},
      {{"v{number}", "loss v2", ""}, value{2}},
      {{"(?:loss|acc){number}", "acc2", ""}, value{2}},
      {{"[a-z]+{number}", "acc2", ""}, value{2}},
      {{"loss-{number}", "loss-0.5", ""}, value{0.5}},
      {{"^{number},", "1,234,0.5", ""}, value{1}},
      {{"({number})[,;]", "1,234,0.5", ""}, value{1}},
      {{"loss {number}k", "loss 1.5k", ""}, value{1.5}},
      {{"loss {number}_", "loss 1_000", ""}, value{1}},
      {{"loss ({number})%", "loss 12.5%", ""}, value{12.5}},
      {{"([0-9]+):", "12:30", ""}, value{12}},
      {{"epoch {number}", "epoch 3/10", ""}, value{3}},
      {{"loss: {number}", "loss: 0.5,3", ""}, value{0.5}},
      {{"loss: {number}", "loss: 5, 3", ""}, value{5}},
      {{"loss: {number}", "loss: 12.5%", ""}, value{12.5}},
      {{"loss: {number}", "loss: 1.5s.", ""}, value{1.5}},
      {{"loss: {number}", "loss: 0.5...", ""}, value{0.5}},
      {{"loss: {number}", "loss: 0.5-0.7", ""}, value{0.5}},
      {{"loss: {number}", "loss: 3-105", ""}, value{3}},
      {{"loss: {number}", "loss: 0.5 x 32", ""}, value{0.5}},
      {{"loss: {number}", "loss: 0.5 eggs-5", ""}, value{0.5}},
  };
  for (const auto& [each, taken] : cases) {
    EXPECT_EQ(read_by(each.expression, each.line), taken) << each;
    EXPECT_EQ(remark_on(each.expression, each.line), "") << each;
  }
}

TEST(metric_remark, tells_of_units_that_change) {
  auto uut = metric_pattern::make({.metrics = {{"t", "t: {number}"}}, .objective = "t"});
  ASSERT_TRUE(uut);
  auto other = uut->fresh();

  EXPECT_TRUE(uut->read("t: 900ms"));
  EXPECT_TRUE(uut->read("t: 950ms"));
  EXPECT_FALSE(uut->take_remark());
  EXPECT_EQ(other.read("t: 1.2s"), (object{{"t", 1.2}})) << "of another trial";
  EXPECT_EQ(other.take_remark()->text,
            "metric.t = t: {number} reads 1.2 from the line \"t: 1.2s\", where \"s\" follows it, "
            "and \"ms\" followed another one; let the program print the same unit always");
}

TEST(metric_remark, tells_of_a_value_that_is_not_taken_though_another_was_in_doubt) {
  auto uut = metric_pattern::make({.metrics = {{"loss", "loss: {number}"}}, .objective = "loss"});
  ASSERT_TRUE(uut);

  EXPECT_TRUE(uut->read("loss: 0,5"));
  const auto first = uut->take_remark();
  EXPECT_EQ(uut->why_missing(), "");
  EXPECT_FALSE(uut->read("loss: 1,234"));
  const auto second = uut->take_remark();
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->about, second->about) << "the runner tells each about once";
  EXPECT_EQ(uut->why_missing(), second->text);
  EXPECT_EQ(uut->latest(), (object{{"loss", 0}})) << "the one before stays";
}

TEST(metric_pattern, reads_a_line_as_it_is_seen_in_a_terminal) {
  auto uut = metric_pattern::make({.metrics = {{"v", "v:.*?{number}"}}, .objective = "v"});
  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->read("v: \x1b[1;32m0.5\x1b[0m"), (object{{"v", 0.5}}));
  EXPECT_EQ(uut->read("\x1b]0;title 7\av:\x1b(B\x1b[m 2\x1b[K"), (object{{"v", 2}}));
  EXPECT_EQ(uut->read("v: \x1b[3"), std::nullopt) << "one without an end";
  EXPECT_EQ(uut->read("v: \x1b"), std::nullopt);
  EXPECT_EQ(uut->read("v: 3\x1b]8;;http://x/4\x1b\\"), (object{{"v", 3}}));
}

TEST(metric_pattern, says_that_the_objective_came_after_the_last_report) {
  auto uut = metric_pattern::make(
      {.metrics = {{"v", "v={number}"}}, .report_on = "^done", .objective = "v"});
  ASSERT_TRUE(uut);
  EXPECT_EQ(uut->read("done"), std::nullopt);
  EXPECT_EQ(uut->read("v=3"), std::nullopt);
  EXPECT_EQ(uut->why_missing(), "metric.v = v={number} reads 3 from the line \"v=3\" after the last"
                                " line that reports, see report_on");
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

TEST(metric_remark, tells_of_metrics_that_were_never_there) {
  auto uut = metric_pattern::make({.metrics = {{"loss", "loss {number}"},
                                               {"acc", "acc {number}"},
                                               {"odd", "odd ([0-9]+)"},
                                               {"mem", "mem {number}"}},
                                   .objective = "loss"});
  ASSERT_TRUE(uut);

  EXPECT_FALSE(uut->read("odd 1,234"));
  EXPECT_TRUE(uut->take_remark()) << "of a value that was not taken";
  EXPECT_FALSE(uut->read("acc 1"));
  EXPECT_TRUE(uut->never_reported().empty())
      << "nothing is to be said where the objective is missing";
  EXPECT_TRUE(uut->read("loss 1"));

  const auto told = uut->never_reported();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].about, "metric.mem never seen");
  EXPECT_EQ(told[0].text,
            "metric.mem = mem {number} matched nothing that it printed until its end");
}

TEST(metric_remark, tells_of_metrics_that_came_after_the_last_report) {
  auto uut = metric_pattern::make(
      {.metrics = {{"loss", "loss {number}"}, {"acc", "acc {number}"}, {"d", "done {number}"}},
       .objective = "loss"});
  ASSERT_TRUE(uut);

  EXPECT_TRUE(uut->read("loss 2"));
  EXPECT_FALSE(uut->read("acc 1"));
  EXPECT_TRUE(uut->read("loss 1"));
  EXPECT_FALSE(uut->read("acc 2"));
  EXPECT_FALSE(uut->read("done 5"));
  EXPECT_FALSE(uut->read("done 6"));

  const auto told = uut->never_reported();
  ASSERT_EQ(told.size(), 1u) << "an earlier report has acc";
  EXPECT_EQ(told[0].about, "metric.d too late");
  EXPECT_THAT(told[0].text,
              HasSubstr("metric.d = done {number} reads 5 from the line \"done 5\" after the last "
                        "report, so no result has it"));
}

TEST(metric_remark, tells_of_no_late_metric_where_the_end_reports) {
  auto uut = metric_pattern::make({.metrics = {{"loss", "loss {number}"}, {"d", "done {number}"}},
                                   .mode = report_mode::final,
                                   .objective = "loss"});
  ASSERT_TRUE(uut);

  EXPECT_FALSE(uut->read("loss 2"));
  EXPECT_FALSE(uut->read("done 5"));
  EXPECT_TRUE(uut->finish());

  EXPECT_TRUE(uut->never_reported().empty());
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

TEST(metric_remark, comes_of_each_expression_that_one_line_has) {
  auto uut = metric_pattern::make(
      {.metrics = {{"loss", "loss: {number}"}, {"acc", "acc: {number}"}}, .objective = "loss"});
  ASSERT_TRUE(uut);

  EXPECT_FALSE(uut->read("loss: 1,234.5 acc: 1,500.2"));
  const auto first = uut->take_remark();
  const auto second = uut->take_remark();

  ASSERT_TRUE(first && second);
  EXPECT_THAT(first->text, HasSubstr("metric.loss = loss: {number} does not take 1 from"));
  EXPECT_THAT(second->text, HasSubstr("metric.acc = acc: {number} does not take 1 from"));
  EXPECT_FALSE(uut->take_remark());
}

TEST(metric_remark, shows_a_line_harmlessly_and_not_all_of_a_long_one) {
  auto text = remark_on("loss ([0-9.]+)", "\x02loss 1e-5" + std::string(1000, 'x'));
  EXPECT_THAT(text, HasSubstr("\\x02loss 1e-5"));
  EXPECT_LT(text.size(), 400u);
}

} // namespace
} // namespace tune
