// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/metric_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pthread.h>

#include <chrono>
#include <cmath>
#include <string>

namespace tune {
namespace {

using testing::HasSubstr;

metric_pattern make(metric_pattern_options options) {
  if (options.objective.empty())
    options.objective = "accuracy";
  auto result = metric_pattern::make(options);
  EXPECT_TRUE(result) << result.error().detail;
  return std::move(*result);
}

TEST(metric_pattern, reports_at_each_line_with_the_objective) {
  auto uut = make({{{"accuracy", "Accuracy = ([0-9.]+)%"}, {"loss", "loss: (\\S+)"}}});

  EXPECT_EQ(uut.read("epoch 1, loss: 0.25"), std::nullopt);
  EXPECT_EQ(uut.read("Accuracy = 97.5%"), (object{{"loss", 0.25}, {"accuracy", 97.5}}));
  EXPECT_EQ(uut.read("Accuracy = 98%"), (object{{"loss", 0.25}, {"accuracy", 98}}));
  EXPECT_EQ(uut.finish(), std::nullopt);
}

TEST(metric_pattern, reports_on_other_lines_where_told) {
  auto uut = make({.metrics = {{"accuracy", "acc=(.*)"}}, .report_on = "^epoch"});

  EXPECT_EQ(uut.read("epoch 0"), std::nullopt) << "there is nothing to report yet";
  EXPECT_EQ(uut.read("acc=0.5"), std::nullopt);
  EXPECT_EQ(uut.read("epoch 1"), (object{{"accuracy", 0.5}}));
  EXPECT_EQ(uut.read("epoch 2"), (object{{"accuracy", 0.5}}));
}

TEST(metric_pattern, reports_once_at_the_end_in_mode_final) {
  auto uut = make({.metrics = {{"accuracy", "acc=(\\d+)"}}, .mode = report_mode::final});
  EXPECT_EQ(uut.finish(), std::nullopt);

  EXPECT_EQ(uut.read("acc=1"), std::nullopt);
  EXPECT_EQ(uut.read("acc=2"), std::nullopt);
  EXPECT_EQ(uut.finish(), (object{{"accuracy", 2}}));
}

TEST(metric_pattern, takes_the_whole_match_where_there_is_no_group) {
  auto uut = make({{{"accuracy", "[0-9]+"}}});
  EXPECT_EQ(uut.read("about 12 percent"), (object{{"accuracy", 12}}));
}

TEST(metric_pattern, keeps_lazy_expressions_lazy) {
  auto uut = make({{{"accuracy", "acc: (.*?),"}}});
  EXPECT_EQ(uut.read("acc: 0.5, loss: 0.25, x"), (object{{"accuracy", 0.5}}));
}

TEST(metric_pattern, looks_at_the_first_4096_bytes) {
  auto uut = make({{{"accuracy", "acc=(\\d)"}}});
  EXPECT_TRUE(uut.read(std::string(4091, ' ') + "acc=7"));
  EXPECT_FALSE(uut.read(std::string(4092, ' ') + "acc=7"));
}

TEST(metric_pattern, survives_junk_and_long_lines_with_greedy_expressions) {
  auto uut = make({{{"accuracy", "(?:.|\\s)*x(.*)y"}, {"b", "((a|b)*)c"}}});
  std::string junk;
  for (int i = 0; i < 65536; ++i)
    junk += static_cast<char>(i * 37);

  EXPECT_EQ(uut.read(junk), std::nullopt);
  EXPECT_EQ(uut.read(std::string(65536, 'a')), std::nullopt);
}

TEST(metric_pattern, gives_up_an_expression_that_backtracks_for_ever) {
  auto uut = make({{{"accuracy", "(a+)+b"}, {"loss", "x(\\d)"}}});
  auto begin = std::chrono::steady_clock::now();

  EXPECT_EQ(uut.read("x1" + std::string(4000, 'a')), std::nullopt);

  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20});
  EXPECT_EQ(uut.given_up(), 1u);
  EXPECT_EQ(uut.latest(), (object{{"loss", 1}}));
  EXPECT_TRUE(uut.read("aab"));
}

TEST(metric_pattern, fits_into_the_stack_of_any_thread) {
  auto uut = make({{{"accuracy", "((a|b)*)c"}}});
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 * 1024);
  pthread_t thread{};
  auto work = [](void* arg) -> void* {
    EXPECT_FALSE(static_cast<metric_pattern*>(arg)->read(std::string(4096, 'a')));
    return nullptr;
  };

  ASSERT_EQ(pthread_create(&thread, &small, work, &uut), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);

  EXPECT_EQ(uut.given_up(), 1u);
}

TEST(metric_pattern, names_the_expression_that_is_none) {
  metric_pattern_options options{.metrics = {{"accuracy", "acc=([0-9"}}, .objective = "accuracy"};
  auto uut = metric_pattern::make(options);
  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::bad_syntax);
  EXPECT_THAT(uut.error().detail, HasSubstr("metric.accuracy: 'acc=([0-9'"));

  options = {.metrics = {{"accuracy", "x"}}, .report_on = "*", .objective = "accuracy"};
  uut = metric_pattern::make(options);
  ASSERT_FALSE(uut);
  EXPECT_THAT(uut.error().detail, HasSubstr("report_on"));
}

TEST(metric_pattern, wants_to_know_which_lines_report) {
  auto uut = metric_pattern::make({.metrics = {{"loss", "x"}}, .objective = "accuracy"});
  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.error().code, ec::bad_option);
  EXPECT_THAT(uut.error().detail, HasSubstr("metric.accuracy"));
}

TEST(value_in, tells_numbers_from_texts) {
  EXPECT_EQ(value_in("12"), value{12});
  EXPECT_EQ(value_in(" +12 "), value{12});
  EXPECT_EQ(value_in("-0.5"), value{-0.5});
  EXPECT_EQ(value_in("1e-3"), value{1e-3});
  EXPECT_EQ(value_in("99999999999999999999"), value{1e20});
  EXPECT_EQ(value_in("-1e999"), value{-INFINITY});
  EXPECT_EQ(value_in("1e-999"), value{0.0});
  EXPECT_TRUE(std::isnan(*value_in("NaN").as_double()));
  EXPECT_EQ(value_in("-inf"), value{-INFINITY});
  EXPECT_EQ(value_in("0.5%"), value{"0.5%"});
  EXPECT_EQ(value_in("good "), value{"good"});
  EXPECT_EQ(value_in("  "), value{""});
}

} // namespace
} // namespace tune
