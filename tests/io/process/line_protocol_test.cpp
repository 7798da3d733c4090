// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/line_protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace tune {
namespace {

using kind = link_answer::kind;
using testing::HasSubstr;

/// Reads the line as a message of type `T`; fails the test if it is of another type.
template <class T>
T read(std::string_view text) {
  auto result = read_report_line(text);
  EXPECT_TRUE(result) << text;
  if (!result || !std::holds_alternative<T>(*result)) {
    ADD_FAILURE() << "another kind of line: " << text;
    return {};
  }
  return std::get<T>(*result);
}

std::string complaint(std::string_view text) {
  auto result = read_report_line(text);
  EXPECT_FALSE(result) << text;
  return result ? "" : result.error().detail;
}

TEST(read_report_line, reads_a_hello_with_and_without_abilities) {
  EXPECT_EQ(read<line::hello>(R"({"tune":1})").can_save, std::nullopt);
  EXPECT_EQ(read<line::hello>(R"({"tune":1,"can_save":true,"later":[]})").can_save, true);
  EXPECT_THAT(complaint(R"({"tune":2})"), HasSubstr("version, which is 1"));
}

TEST(read_report_line, reads_metrics_and_checkpoint) {
  auto plain = read<line::report>(R"({"metrics":{"loss":0.5,"epoch":3}})");
  EXPECT_EQ(plain.metrics, (object{{"loss", 0.5}, {"epoch", 3}}));
  EXPECT_FALSE(plain.done);
  EXPECT_EQ(plain.checkpoint, std::nullopt);

  auto full = read<line::report>(R"({"metrics":{"a":1},"checkpoint":"/c","x":{}})");
  EXPECT_EQ(full.checkpoint, "/c");
  EXPECT_EQ(read<line::report>(R"({"metrics":{},"checkpoint":null})").checkpoint, std::nullopt);
}

TEST(read_report_line, finds_done_among_the_metrics_or_beside_them) {
  auto among = read<line::report>(R"({"metrics":{"a":1,"done":true}})");
  EXPECT_TRUE(among.done);
  EXPECT_FALSE(among.metrics.contains("done"));
  EXPECT_TRUE(read<line::report>(R"({"metrics":{"a":1},"done":true})").done);
  EXPECT_FALSE(read<line::report>(R"({"metrics":{"a":1,"done":false}})").done);
}

TEST(read_report_line, reads_non_finite_numbers_however_they_are_written) {
  auto quoted = read<line::report>(R"({"metrics":{"a":"nan","b":"-inf"}})").metrics;
  EXPECT_TRUE(std::isnan(*quoted.find("a")->as_double()));
  EXPECT_EQ(*quoted.find("b")->as_double(), -INFINITY);

  auto bare = read<line::report>(
                  R"({"metrics":{"a":NaN,"b":-Infinity,"c":[Infinity],"NaN":"say \"NaN\""}})")
                  .metrics;
  EXPECT_TRUE(std::isnan(*bare.find("a")->as_double()));
  EXPECT_EQ(*bare.find("b")->as_double(), -INFINITY);
  EXPECT_EQ(*bare.find("c")->as_list()->front().as_double(), INFINITY);
  EXPECT_EQ(*bare.find("NaN")->as_string(), "say \"NaN\"");
}

TEST(read_report_line, reads_what_follows_a_save) {
  EXPECT_EQ(read<line::saved>(R"({"saved":"/c"})").directory, "/c");
  auto failed = read<line::save_failed>(R"({"save_failed":"/c","error":"disk full"})");
  EXPECT_EQ(failed.directory, "/c");
  EXPECT_EQ(failed.why, "disk full");
  EXPECT_FALSE(failed.unable);
  EXPECT_TRUE(
      read<line::save_failed>(R"({"save_failed":"/c","error":"x","can_save":false})").unable);
}

TEST(read_report_line, reads_failures) {
  EXPECT_EQ(read<line::failure>(R"({"error":"out of luck"})").text, "out of luck");
  EXPECT_TRUE(read<line::failure>(R"({"error":"x","restore":true})").restore);
}

TEST(read_report_line, reads_of_exports_that_failed) {
  auto failed = read<line::export_failed>(R"({"export_failed":"onnx","error":"no such layer"})");
  EXPECT_EQ(failed.format, "onnx");
  EXPECT_EQ(failed.why, "no such layer");
  auto again = read<line::export_failed>(to_line(line::any{failed}));
  EXPECT_EQ(again.format, "onnx");
  EXPECT_EQ(again.why, "no such layer");
}

TEST(read_report_line, reads_that_an_export_begins) {
  read<line::exporting>(R"({"exporting":true})");
  read<line::exporting>(to_line(line::any{line::exporting{}}));
}

TEST(read_report_line, takes_an_empty_line_for_nothing) {
  read<line::nothing>("");
  read<line::nothing>(" \t\r");
}

TEST(read_report_line, says_what_is_wrong) {
  EXPECT_THAT(complaint("loss: 0.3"), HasSubstr("loss: 0.3"));
  EXPECT_THAT(complaint("[1]"), HasSubstr("JSON object"));
  EXPECT_THAT(complaint(R"({"loss":0.3})"), HasSubstr("none of 'metrics'"));
  EXPECT_THAT(complaint(R"({"saved":true})"), HasSubstr("'saved' must be a text, in line"));
  EXPECT_THAT(complaint(R"({"save_failed":1,"error":"why"})"),
              HasSubstr("'save_failed' must be a text"));
  EXPECT_THAT(complaint(R"({"error":null})"), HasSubstr("'error' must be a text"));
  EXPECT_THAT(complaint(R"({"metrics":[1]})"), HasSubstr("'metrics' must be an object"));
  EXPECT_THAT(complaint(R"({"metrics":{},"checkpoint":7})"), HasSubstr("'checkpoint'"));
  EXPECT_THAT(complaint("{\x1b[31m" + std::string(10'000, 'x')), HasSubstr("{\\x1b[31mxxx"));
  EXPECT_LT(complaint("{" + std::string(10'000, 'x')).size(), 400u);
}

TEST(to_line, writes_what_read_report_line_reads) {
  line::report report{{{"a", 1.0}, {"b", "x\n"}}, true, "/c d"};
  auto again = read<line::report>(to_line(line::any{report}));
  EXPECT_EQ(again.metrics, report.metrics);
  EXPECT_TRUE(again.done);
  EXPECT_EQ(again.checkpoint, "/c d");
  EXPECT_EQ(to_line(line::any{report}).find('\n'), std::string::npos);

  EXPECT_EQ(to_line(line::any{line::hello{}}), R"({"tune":1})");
  EXPECT_EQ(read<line::hello>(to_line(line::any{line::hello{true}})).can_save, true);
  EXPECT_EQ(read<line::saved>(to_line(line::any{line::saved{"/c"}})).directory, "/c");
  EXPECT_EQ(read<line::save_failed>(to_line(line::any{line::save_failed{"/c", "y"}})).why, "y");
  EXPECT_TRUE(
      read<line::save_failed>(to_line(line::any{line::save_failed{"/c", "y", true}})).unable);
  EXPECT_TRUE(read<line::failure>(to_line(line::any{line::failure{"z", true}})).restore);
  EXPECT_EQ(to_line(line::any{line::nothing{}}), "");
}

TEST(answers, are_read_as_they_were_written) {
  for (const auto& answer :
       {link_answer{kind::go_on, {}}, link_answer{kind::save, "/c"},
        link_answer{kind::pause, "/c \"d\""}, link_answer{kind::stop, {}},
        link_answer{kind::stop, {}, true}, link_answer{kind::pause, "/c", true}}) {
    auto again = read_answer_line(to_line(answer));
    ASSERT_TRUE(again) << again.error().detail;
    EXPECT_EQ(*again, answer);
  }
  EXPECT_EQ(to_line(link_answer{}), R"({"decision":"continue"})");
  EXPECT_EQ(to_line(link_answer{kind::stop, {}, true}), R"({"decision":"stop","export":true})");
  EXPECT_EQ(to_line(link_answer{kind::pause, "/c"}), R"({"decision":"pause","dir":"/c"})");
}

TEST(answers, are_refused_where_they_make_no_sense) {
  for (const auto* text : {"", "{}", R"({"decision":"wait"})", R"({"decision":"save"})", "stop"})
    EXPECT_FALSE(read_answer_line(text)) << text;
}

} // namespace
} // namespace tune
