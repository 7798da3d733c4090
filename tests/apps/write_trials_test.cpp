// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_trials.hpp"

#include "console/text.hpp"
#include "output/trial_columns.hpp"
#include "sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace tune::cli {
namespace {

using testing::HasSubstr;

std::vector<listed_trial> three() {
  using enum trial_status;
  return {{{0},
           terminated,
           9,
           {0.98125, 12},
           sample::shared({{"lr", 0.012345678}, {"opt", object{{"name", "sgd"}, {"m", 0.9}}}}),
           "reached \"max\", done",
           0},
          {{1},
           errored,
           1,
           {std::nan(""), value{}},
           sample::shared({{"lr", 0.5}, {"opt", object{{"name", "adam"}}}}),
           "exit status 1\nboom",
           3},
          {{2}, pending, 0, {}, nullptr, "", 0}};
}

const std::vector<objective> two_goals{{"accuracy", true}, {"latency", false}};

std::string written(const std::vector<listed_trial>& rows, output_format format,
                    std::size_t width = 0) {
  std::ostringstream out;
  write_trials(rows, two_goals, usual_columns(rows, two_goals), {format, {width, style{}}}, out);
  return out.str();
}

TEST(write_trials, csv_has_full_values_and_quotes_what_must_be) {
  EXPECT_EQ(written(three(), output_format::csv),
            "trial,status,iterations,accuracy,latency,config.lr,config.opt.name,config.opt.m,"
            "reason,failures\n"
            "00000,TERMINATED,9,0.98125,12,0.012345678,sgd,0.9,\"reached \"\"max\"\", done\",0\n"
            "00001,ERRORED,1,nan,,0.5,adam,,\"exit status 1\nboom\",3\n"
            "00002,PENDING,0,,,,,,,0\n");
}

TEST(write_trials, has_one_column_of_a_parameter_whose_values_are_objects) {
  const object model{{"kind", "a"}, {"depth", 3}};
  std::vector<listed_trial> rows{
      {{0},
       trial_status::terminated,
       1,
       {1, 2},
       sample::shared({{"model", model}, {"opt", object{{"lr", 0.5}}}}),
       "",
       0},
      {{1}, trial_status::terminated, 1, {1, 2}, sample::shared({{"model", "none"}}), "", 0}};
  auto in = [&](output_format format) {
    std::ostringstream out;
    auto columns = columns_of(rows, two_goals, {}, format, {{"model", "opt.lr"}, {}});
    EXPECT_TRUE(columns);
    write_trials(rows, two_goals, *columns, {format, {0, style{}}}, out);
    return out.str();
  };

  EXPECT_EQ(in(output_format::csv),
            "trial,status,iterations,accuracy,latency,config.model,config.opt.lr,reason,failures\n"
            "00000,TERMINATED,1,1,2,\"{\"\"kind\"\":\"\"a\"\",\"\"depth\"\":3}\",0.5,,0\n"
            "00001,TERMINATED,1,1,2,none,,,0\n");
  EXPECT_THAT(in(output_format::table), HasSubstr(R"({"kind":"a","depth":3})"));
  EXPECT_THAT(in(output_format::table), testing::Not(HasSubstr("model.kind")));
}

TEST(write_trials, tells_objectives_from_columns_of_the_same_name) {
  const std::vector<objective> goals{{"status", true}, {"lr", false}, {"iter", false}};
  std::vector<listed_trial> rows{{{0},
                                  trial_status::terminated,
                                  9,
                                  {0.5, 0.25, 7},
                                  sample::shared({{"lr", 0.125}, {"failures", 3}}),
                                  "",
                                  0}};
  auto in = [&](output_format format, const std::vector<std::string>& named) {
    std::ostringstream out;
    auto columns = columns_of(rows, goals, named, format, {{"lr", "failures"}, {}});
    EXPECT_TRUE(columns) << columns.error().detail;
    write_trials(rows, goals, *columns, {format, {0, style{}}, !named.empty()}, out);
    return out.str();
  };

  EXPECT_EQ(in(output_format::csv, {}),
            "trial,status,iterations,metric.status,lr,iter,config.lr,config.failures,reason,"
            "failures\n"
            "00000,TERMINATED,9,0.5,0.25,7,0.125,3,,0\n");
  EXPECT_EQ(
      in(output_format::table, {}),
      "trial  status      iterations  metric.status    lr  iter  config.lr  config.failures\n"
      "00000  TERMINATED           9            0.5  0.25     7      0.125                3\n");
  EXPECT_EQ(
      in(output_format::csv, {"status", "metric.status", "lr", "metric.lr", "iter", "failures"}),
      "status,metric.status,lr,metric.lr,iter,failures\nTERMINATED,0.5,0.25,0.25,7,0\n");
  EXPECT_EQ(in(output_format::json, {"status", "metric.status"}),
            "[\n  {\"status\":\"TERMINATED\",\"metric.status\":0.5}\n]\n");
}

TEST(write_trials, table_tells_null_and_inactive_apart_and_quotes_texts) {
  using enum trial_status;
  std::vector<listed_trial> rows{
      {{0},
       trial_status::terminated,
       1,
       {},
       sample::shared({{"a", "d\"q"}, {"b", value{}}}),
       "",
       0},
      {{1}, trial_status::terminated, 1, {}, sample::shared({{"a", "x"}}), "", 0}};

  const auto text = written(rows, output_format::table);

  EXPECT_NE(text.find(R"("d\"q"  null)"), std::string::npos) << text;
  EXPECT_NE(text.find("x     -"), std::string::npos) << text;
}

TEST(write_trials, csv_without_trials_has_its_title) {
  EXPECT_EQ(written({}, output_format::csv),
            "trial,status,iterations,accuracy,latency,reason,failures\n");
}

TEST(write_trials, jsonl_has_one_object_per_line) {
  EXPECT_EQ(
      written(three(), output_format::jsonl),
      R"({"trial":"00000","status":"TERMINATED","iterations":9,"objectives":{"accuracy":0.98125,"latency":12},"config":{"lr":0.012345678,"opt":{"name":"sgd","m":0.9}},"reason":"reached \"max\", done","failures":0})"
      "\n"
      R"({"trial":"00001","status":"ERRORED","iterations":1,"objectives":{"accuracy":"nan","latency":null},"config":{"lr":0.5,"opt":{"name":"adam"}},"reason":"exit status 1\nboom","failures":3})"
      "\n"
      R"({"trial":"00002","status":"PENDING","iterations":0,"objectives":{"accuracy":null,"latency":null},"config":{},"reason":"","failures":0})"
      "\n");
}

TEST(write_trials, json_is_one_array_of_the_same_objects) {
  std::istringstream lines{written(three(), output_format::jsonl)};
  std::string expected = "[";
  for (std::string line; std::getline(lines, line);)
    expected += (expected == "[" ? "\n  " : ",\n  ") + line;

  EXPECT_EQ(written(three(), output_format::json), expected + "\n]\n");
  EXPECT_EQ(written({}, output_format::json), "[]\n");
}

TEST(write_trials, table_shows_all_columns_when_not_fitted) {
  EXPECT_EQ(
      written(three(), output_format::table),
      R"(trial  status      iter  accuracy  latency        lr  opt.name  opt.m  reason               failures
00000  TERMINATED     9   0.98125       12  0.012346       sgd    0.9  reached "max", done
00001  ERRORED        1       nan        -       0.5      adam      -  exit status 1 boom          3
00002  PENDING        0         -        -         -         -      -
)");
}

TEST(write_trials, table_fits_the_width_and_says_what_is_left_out) {
  EXPECT_EQ(
      written(three(), output_format::table, 90),
      R"(trial  status      iter  accuracy  latency        lr  opt.name  opt.m  reason     failures
00000  TERMINATED     9   0.98125       12  0.012346       sgd    0.9  reached …
00001  ERRORED        1       nan        -       0.5      adam      -  exit sta…         3
00002  PENDING        0         -        -         -         -      -
)");
  EXPECT_EQ(written(three(), output_format::table, 40), R"(trial  status      iter  accuracy
00000  TERMINATED     9   0.98125
00001  ERRORED        1       nan
00002  PENDING        0         -
(no room for latency, lr, opt.name, opt.m, reason, failures: see --output csv)
)");
}

TEST(write_trials, table_has_no_columns_that_say_nothing) {
  auto rows = three();
  rows.resize(1);
  rows[0].reason.clear();
  EXPECT_EQ(written(rows, output_format::table),
            "trial  status      iter  accuracy  latency        lr  opt.name  opt.m\n"
            "00000  TERMINATED     9   0.98125       12  0.012346       sgd    0.9\n");
}

TEST(write_trials, table_is_never_wider_than_asked) {
  auto rows = three();
  rows[0].config = sample::shared({{"中文字", "文字文字文字"}, {"x", "\x1b[2J"}});
  for (std::size_t width = 1; width < 140; ++width) {
    std::istringstream lines{written(rows, output_format::table, width)};
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("(no room")) {
        EXPECT_LE(display_width(line), width) << line;
      }
      EXPECT_EQ(line.find('\x1b'), std::string::npos);
    }
  }
}

TEST(csv_line, quotes_only_what_must_be) {
  EXPECT_EQ(csv_line({"a", "b c", "d,e", "f\"g", "h\ni", "j\rk", ""}),
            "a,b c,\"d,e\",\"f\"\"g\",\"h\ni\",j\\rk,\n");
  EXPECT_EQ(csv_line({""}), "\"\"\n");
}

TEST(csv_line, steers_neither_a_spreadsheet_nor_a_terminal) {
  EXPECT_EQ(csv_line({"=1+1", "@a", "-cmd|x", "+1e", "\x1b[2J", "a\u202e", "|x", "%x"}),
            "'=1+1,'@a,'-cmd|x,'+1e,\\x1b[2J,a\\u202e,'|x,'%x\n");
  EXPECT_EQ(csv_line({"-0.5", "+3", "-inf", "-", "1e-5", "é", "'=1", "-1e400"}),
            "-0.5,+3,-inf,-,1e-5,é,'=1,-1e400\n");
}

TEST(output_format, reads_back_its_names) {
  for (auto x :
       {output_format::table, output_format::json, output_format::jsonl, output_format::csv})
    EXPECT_EQ(output_format_from(to_text(x)), x);
  EXPECT_EQ(output_format_from("xml"), std::nullopt);
}

} // namespace
} // namespace tune::cli
