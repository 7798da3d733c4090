// SPDX-License-Identifier: BSD-3-Clause
#include "console/status_block.hpp"

#include "console/text.hpp"
#include "sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tune::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::string drawn(const run_snapshot& x, terminal_size size, bool color = false) {
  std::string result;
  for (const auto& line : status_block(x, size, style{color}))
    result += line + "\n";
  return result;
}

TEST(status_block, fits_80_columns) {
  EXPECT_EQ(drawn(sample::digits(), {80, 24}),
            R"(digits-mlp  5/20 done, 2 running, 1 errored, 1 paused, 4 pending
2m05s elapsed, eta 6m15s, cpu 2/4, gpu 0.5/1, 2.4 trials/min
best accuracy 0.98125  trial 00003  lr=0.01 hidden=64 optimizer=adam
trial  status      iter  accuracy   time  config
00004  RUNNING        7      0.75  1m05s  lr=0.02 hidden=256
00006  RUNNING        4       0.5  12.4s  lr=0.001 hidden=128
00003  TERMINATED     9   0.98125  40.0s  lr=0.01 hidden=64
00002  TERMINATED     3      0.25   9.0s  lr=0.1 hidden=64
00005  ERRORED        1         -   2.0s  lr=0.5 hidden=32
)");
}

TEST(status_block, fits_40_columns) {
  EXPECT_EQ(drawn(sample::digits(), {40, 24}), R"(digits-mlp  5/20 done, 2 running
2m05s elapsed, eta 6m15s, cpu 2/4
best accuracy 0.98125  trial 00003  lr=…
trial  status      iter  accuracy   time
00004  RUNNING        7      0.75  1m05s
00006  RUNNING        4       0.5  12.4s
00003  TERMINATED     9   0.98125  40.0s
00002  TERMINATED     3      0.25   9.0s
00005  ERRORED        1         -   2.0s
)");
}

TEST(status_block, says_that_the_best_misses_a_constraint) {
  auto x = sample::digits();
  x.constraints = *parse_constraints("loss <= 0.05");

  EXPECT_THAT(drawn(x, {80, 24}),
              HasSubstr("best accuracy 0.98125  trial 00003 (which misses a constraint)  lr="));
}

/// Long and wide characters everywhere, eight rows of terminal: one trial.
run_snapshot crowded() {
  auto x = sample::digits();
  x.experiment = "größte Versuchsreihe 中文";
  x.best->config
      = sample::shared({{"優化器", "亞當"}, {"hidden_layer_sizes", value::list{64, 32}}});
  x.trials[4].config = x.best->config;
  return x;
}

TEST(status_block, fits_wide_characters) {
  EXPECT_EQ(drawn(crowded(), {120, 10}),
            R"(größte Versuchsreihe 中文  5/20 done, 2 running, 1 errored, 1 paused, 4 pending
2m05s elapsed, eta 6m15s, cpu 2/4, gpu 0.5/1, 2.4 trials/min
best accuracy 0.98125  trial 00003  優化器="亞當" hidden_layer_sizes=[64,32]
trial  status   iter  accuracy   time  config
00004  RUNNING     7      0.75  1m05s  優化器="亞當" hidden_layer_sizes=[64,32]
)");
  EXPECT_EQ(drawn(crowded(), {60, 10}), R"(größte Versuchsreih…  5/20 done, 2 running, 1 errored
2m05s elapsed, eta 6m15s, cpu 2/4, gpu 0.5/1, 2.4 trials/min
best accuracy 0.98125  trial 00003  優化器="亞當" hidden_la…
trial  status   iter  accuracy   time  config
00004  RUNNING     7      0.75  1m05s  優化器="亞當" hidden…
)");
}

TEST(status_block, is_never_wider_or_higher_than_allowed) {
  auto x = sample::digits();
  x.experiment = "größte 中文 experiment 😀😀😀";
  x.trials[0].config = sample::shared({{"中", "文字文字文字"}});
  x.best->config = x.trials[0].config;
  for (std::size_t columns = 1; columns < 130; ++columns)
    for (std::size_t rows : {1u, 2u, 4u, 10u, 50u}) {
      auto lines = status_block(x, {columns, rows}, style{true});
      EXPECT_LE(lines.size(), std::max<std::size_t>(rows / 2, 3)) << columns << "x" << rows;
      EXPECT_LT(lines.size(), std::max<std::size_t>(rows, 2)) << columns << "x" << rows;
      for (const auto& line : lines)
        EXPECT_LE(display_width(line), columns) << line;
    }
}

TEST(status_block, shows_running_trials_by_number_then_the_best_of_the_others) {
  auto lines = status_block(sample::digits(), {80, 24}, {});

  std::vector<std::string> numbers;
  for (std::size_t i = 4; i < lines.size(); ++i)
    numbers.push_back(lines[i].substr(0, 5));
  EXPECT_THAT(numbers, ElementsAre("00004", "00006", "00003", "00002", "00005"));
}

TEST(status_block, keeps_room_for_the_best_when_many_run) {
  auto x = sample::digits();
  for (std::uint64_t i = 100; i < 200; ++i)
    x.trials.push_back({{i}, trial_status::running, 1, {0.001 * static_cast<double>(i)}});

  auto lines = status_block(x, {80, 20}, {}); // ten lines, six of them trials

  std::vector<std::string> numbers;
  for (std::size_t i = 4; i < lines.size(); ++i)
    numbers.push_back(lines[i].substr(0, 5));
  EXPECT_THAT(numbers, ElementsAre("00004", "00006", "00198", "00199", "00003", "00002"));
}

TEST(status_block, ranks_by_mode_and_puts_nan_last) {
  auto x = sample::digits();
  x.objectives = {{"loss", false}};
  x.trials = {{{0}, trial_status::terminated, 1, {NAN}},
              {{1}, trial_status::terminated, 1, {2.0}},
              {{2}, trial_status::terminated, 1, {1.0}}};

  auto lines = status_block(x, {80, 24}, {});

  ASSERT_EQ(lines.size(), 7u);
  EXPECT_THAT(lines[4], HasSubstr("00002"));
  EXPECT_THAT(lines[5], HasSubstr("00001"));
  EXPECT_THAT(lines[6], HasSubstr("nan"));
}

TEST(status_block, shows_no_control_character_of_a_trial) {
  auto x = sample::digits();
  x.experiment = "bad\x1b[2Jname\n";
  x.objectives = {{"acc\auracy", true}};
  x.best->config = sample::shared({{"k\x1b]0;t\a", "v\x1b[31m\r\n"}});
  x.best->metrics = sample::shared({{"acc\auracy", "\x1b[5m"}});
  x.trials[2].config = x.best->config;

  auto text = drawn(x, {200, 24});

  for (auto c : text)
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << text;
  EXPECT_THAT(text, HasSubstr("bad\\x1b[2Jname\\n"));
}

TEST(status_block, colors_only_where_asked) {
  EXPECT_EQ(drawn(sample::digits(), {80, 24}).find('\x1b'), std::string::npos);
  EXPECT_THAT(drawn(sample::digits(), {80, 24}, true), HasSubstr("\x1b[32mbest accuracy 0.98125"));
}

TEST(status_block, says_so_when_nothing_was_reported) {
  run_snapshot x;
  x.experiment = "empty";
  x.objectives = {{"loss", false}};

  EXPECT_EQ(drawn(x, {80, 24}), "empty  0 done\n0s elapsed\nno loss reported yet\n");
}

TEST(time_left, follows_the_rate_and_the_limit) {
  auto x = sample::digits(); // 5 of 20 in 125 s: 25 s each
  EXPECT_EQ(time_left(x), instant{375s});

  x.time_limit = 3min;
  EXPECT_EQ(time_left(x), instant{55s});

  x.planned.reset();
  EXPECT_EQ(time_left(x), instant{55s});

  x.time_limit = 0s;
  EXPECT_EQ(time_left(x), std::nullopt);

  x.planned = 20;
  x.counts = {};
  EXPECT_EQ(time_left(x), std::nullopt) << "no rate before the first end";
}

TEST(time_left, is_nothing_when_more_ended_than_planned) {
  auto x = sample::digits();
  x.planned = 3;
  EXPECT_EQ(time_left(x), instant{0});
}

TEST(resource_texts, name_what_the_cluster_has) {
  auto x = sample::digits();
  EXPECT_THAT(resource_texts(x), ElementsAre("cpu 2/4", "gpu 0.5/1"));

  x.used.memory = 1536ull << 20;
  x.total.memory = 8ull << 30;
  x.total.custom["licence"] = amount::of(3);
  x.nodes = 2;
  EXPECT_THAT(resource_texts(x),
              ElementsAre("cpu 2/4", "gpu 0.5/1", "memory 1.5/8 GiB", "licence 0/3", "2 nodes"));

  x.leaving = 1;
  EXPECT_EQ(resource_texts(x).back(), "2 nodes, 1 of them leaving");
  x.nodes = 1;
  EXPECT_EQ(resource_texts(x).back(), "1 node, leaving");
}

} // namespace
} // namespace tune::cli
