// SPDX-License-Identifier: BSD-3-Clause
#include "console/plain_lines.hpp"

#include "sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class plain_lines_test : public testing::Test {
protected:
  run_snapshot digits = sample::digits();
  plain_lines uut{digits.objectives, style{}};
};

TEST_F(plain_lines_test, say_how_a_trial_ended) {
  auto row = digits.trials[0];
  EXPECT_EQ(uut.ended(row, 125s),
            "[2m05s] trial 00003 TERMINATED at iteration 9: accuracy 0.98125");

  row.reason = "reached the last rung";
  EXPECT_EQ(uut.ended(row, 125s), "[2m05s] trial 00003 TERMINATED at iteration 9: accuracy "
                                  "0.98125; reached the last rung");
}

TEST_F(plain_lines_test, say_why_a_trial_failed_in_one_line) {
  auto row = digits.trials[1];
  row.reason = "exit status 1\n\x1b[31mboom";
  EXPECT_EQ(uut.ended(row, 3s),
            "[3.0s] trial 00005 ERRORED at iteration 1: exit status 1 \\x1b[31mboom");
}

TEST_F(plain_lines_test, say_what_several_runs_come_to) {
  auto& runs = digits.best->runs.emplace();
  runs.runs = 2;
  runs.wanted = 3;
  runs.mean = runs.judged = 0.5;
  EXPECT_EQ(
      uut.best(*digits.best, 1s),
      "[1.0s] best accuracy 0.98125 (mean 0.5 of 2 of 3 runs): trial 00003, lr=0.01 hidden=64 "
      "optimizer=adam");
  EXPECT_EQ(uut.best(*digits.best, 2s), std::nullopt);
  runs.judge = run_judge::lower_bound;
  runs.judged = 0.4;
  runs.error = 0.05;
  runs.runs = 3;
  runs.confirms = true;
  EXPECT_THAT(
      uut.best(*digits.best, 11s).value_or(""),
      testing::HasSubstr("0.98125 (judged by the lower bound 0.4 of 3 runs that confirm it, whose "
                         "mean is 0.5 ± 0.05)"));
  EXPECT_THAT(
      uut.summary(digits, 12s).value_or(""),
      testing::HasSubstr("best accuracy 0.98125 (trial 00003; judged by the lower bound 0.4 "
                         "of 3 runs that confirm it, whose mean is 0.5 ± 0.05)"));
}

TEST_F(plain_lines_test, say_each_best_once) {
  EXPECT_EQ(uut.best(*digits.best, 1s), "[1.0s] best accuracy 0.98125: trial 00003, lr=0.01 "
                                        "hidden=64 optimizer=adam");
  EXPECT_EQ(uut.best(*digits.best, 20s), std::nullopt);

  digits.best->metrics = sample::shared({{"accuracy", 0.99}});
  EXPECT_NE(uut.best(*digits.best, 30s), std::nullopt);
}

TEST_F(plain_lines_test, say_that_the_best_misses_a_constraint) {
  digits.constraints = *parse_constraints("loss <= 0.05");
  const auto best = [&](instant now) {
    return uut.best(*digits.best, now, {}, digits.constraints).value_or("");
  };
  EXPECT_EQ(best(1s), "[1.0s] best accuracy 0.98125: trial 00003 (which misses a constraint), "
                      "lr=0.01 hidden=64 optimizer=adam");
  EXPECT_EQ(best(20s), "");
  EXPECT_THAT(
      uut.summary(digits, 21s).value_or(""),
      testing::HasSubstr("best accuracy 0.98125 (trial 00003) (which misses a constraint);"));

  digits.best->metrics = sample::shared({{"accuracy", 0.98125}, {"loss", 0.03}});
  EXPECT_THAT(best(30s), testing::HasSubstr("trial 00003, lr=0.01"));
  digits.best->runs.emplace().violation = 0.1;
  EXPECT_THAT(best(40s), testing::HasSubstr("trial 00003 (whose runs miss a constraint), lr"));
}

TEST_F(plain_lines_test, say_nothing_of_parameters_where_there_are_none) {
  digits.best->config = sample::shared({});

  EXPECT_EQ(uut.best(*digits.best, 1s), "[1.0s] best accuracy 0.98125: trial 00003");
}

TEST_F(plain_lines_test, say_at_once_the_first_best_and_the_newest_of_each_ten_seconds) {
  auto accuracy = [&](double x) { digits.best->metrics = sample::shared({{"accuracy", x}}); };
  std::vector<std::string> said;
  for (auto i = 0; i < 40; ++i) {
    accuracy(i / 100.0);
    if (auto line = uut.best(*digits.best, std::chrono::seconds{3 + i}))
      said.push_back(line->substr(0, line->find(':')));
  }

  EXPECT_THAT(said, ElementsAre("[3.0s] best accuracy 0", "[13.0s] best accuracy 0.1",
                                "[23.0s] best accuracy 0.2", "[33.0s] best accuracy 0.3"));
}

TEST_F(plain_lines_test, say_the_last_best_whenever_the_one_before_was_said) {
  EXPECT_NE(uut.best(*digits.best, 1s), std::nullopt);
  EXPECT_EQ(uut.last_best(*digits.best, 2s), std::nullopt);

  digits.best->metrics = sample::shared({{"accuracy", 0.99}});
  EXPECT_EQ(uut.best(*digits.best, 2s), std::nullopt);
  EXPECT_EQ(uut.last_best(*digits.best, 2s), "[2.0s] best accuracy 0.99: trial 00003, lr=0.01 "
                                             "hidden=64 optimizer=adam");
}

TEST_F(plain_lines_test, summarise_once_a_minute) {
  uut.begin(0s);

  EXPECT_EQ(uut.summary(digits, 59s), std::nullopt);
  EXPECT_EQ(uut.summary(digits, 60s),
            "[1m00s] 5/20 done, 2 running, 1 errored, 1 paused, 4 pending; best accuracy 0.98125 "
            "(trial 00003); 2.4 trials/min; eta 6m15s");
  EXPECT_EQ(uut.summary(digits, 61s), std::nullopt);
  EXPECT_NE(uut.summary(digits, 120s), std::nullopt);
}

TEST(failure_block, shows_the_last_lines_of_stderr_indented) {
  failure_note x{{13},
                 "exit status 1",
                 "retry 1 of 3",
                 "Traceback\n\n  File \"a.py\"\n 0%|\r 99%|##\n\x1b[31mValueError: no\x1b[0m\n\n"};

  EXPECT_THAT(failure_block(x, 3, 0, {}),
              ElementsAre("trial 00013 failed: exit status 1 (retry 1 of 3)", "  |   File \"a.py\"",
                          "  |  99%|##", "  | ValueError: no"));
  EXPECT_THAT(failure_block(x, 1, 20, {}),
              ElementsAre("trial 00013 failed:…", "  | ValueError: no"));
}

TEST(failure_block, shortens_what_a_program_said_at_length) {
  std::string much(500'000, 'x');

  auto lines = failure_block({{1}, much, "given up", much}, 3, 0, {});

  ASSERT_EQ(lines.size(), 2u);
  EXPECT_LT(lines[0].size(), 600u);
  EXPECT_LT(lines[1].size(), 600u);
  EXPECT_TRUE(lines[0].ends_with("… (given up)"));
}

TEST(failure_block, needs_no_output) {
  EXPECT_THAT(failure_block({{1}, "", "", ""}, 5, 80, {}), ElementsAre("trial 00001 failed"));
  EXPECT_THAT(failure_block({{1}, "x", "", "\n\n\n"}, 5, 80, {}),
              ElementsAre("trial 00001 failed: x"));
}

TEST(plain_lines, tell_the_first_ends_and_count_the_rest) {
  plain_lines uut{{{"accuracy", true}}, style{}};
  uut.begin(0s);
  auto all = sample::digits();
  auto row = all.trials.front();
  for (std::uint64_t i = 0; i < plain_lines::most_ends; ++i)
    EXPECT_TRUE(uut.next_end(row, 1s)) << i;
  EXPECT_FALSE(uut.summary(all, 30s)) << "a minute is not over";

  EXPECT_EQ(uut.next_end(row, 31s), "[31.0s] more than 100 trials have ended: further ones are "
                                    "counted, and `trials` lists all");
  EXPECT_FALSE(uut.next_end(row, 32s));

  EXPECT_TRUE(uut.summary(all, 33s)) << "more than 10 s since the last";
  EXPECT_FALSE(uut.summary(all, 50s)) << "nothing has ended since";
  EXPECT_FALSE(uut.next_end(row, 51s));
  EXPECT_TRUE(uut.summary(all, 52s));
}

} // namespace
} // namespace tune::cli
