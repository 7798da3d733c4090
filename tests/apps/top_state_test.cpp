// The full-screen view: what is shown for which keys and data.
// SPDX-License-Identifier: BSD-3-Clause
#include "top/top_state.hpp"

#include "console/text.hpp"
#include "top/top_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune::cli {
namespace {

using kind = top_key::kind;
using op = control_request::op;
using testing::HasSubstr;
using testing::Not;

top_data made_up(std::size_t trials, bool live = true) {
  top_data result;
  result.name = "digits";
  result.status = live ? "running" : "done";
  result.live = live;
  result.elapsed = "1m30s";
  result.counts = "3 of 10 trials ended";
  result.best = "best loss 0.5 of trial 00001";
  result.metric = "loss";
  result.best_trial = trial_id{1};
  for (std::uint64_t i = 0; i < trials; ++i)
    result.rows.push_back({{i}, "RUNNING", i, "0." + std::to_string(i), "1s", "lr=0.1"});
  result.total = trials;
  result.panel = {"panel line"};
  return result;
}

class top_test : public testing::Test {
protected:
  top_state uut{"digits"};

  void SetUp() override {
    uut.resize({80, 24});
    uut.take(made_up(30));
  }
  void press(kind what) { uut.press({what}); }
  void type(const std::string& text) {
    for (auto c : text)
      uut.press({kind::text, std::string(1, c)});
  }
  std::vector<std::string> screen() {
    std::vector<std::string> result;
    for (const auto& x : uut.lines(style{}))
      result.push_back(x.text);
    return result;
  }
  /// The trial of the line that is shown the other way round.
  std::string chosen() {
    for (const auto& x : uut.lines(style{})) {
      if (x.is_reversed)
        return x.text.substr(0, 5);
    }
    return "";
  }
  std::string foot() { return screen().back(); }
};

TEST_F(top_test, fills_the_screen_at_any_size) {
  for (auto size : {terminal_size{80, 24}, {20, 8}, {200, 60}, {40, 10}, {1, 1}}) {
    uut.resize(size);
    const auto all = uut.lines(style{true});
    EXPECT_EQ(all.size(), std::max<std::size_t>(8, size.rows));
    for (const auto& line : all)
      EXPECT_LE(display_width(line.text), std::max<std::size_t>(20, size.columns)) << line.text;
  }
}

TEST_F(top_test, shows_experiment_trials_panel_and_keys) {
  auto all = screen();

  EXPECT_EQ(all[0], "digits  running  1m30s  3 of 10 trials ended");
  EXPECT_EQ(all[1], "best loss 0.5 of trial 00001");
  EXPECT_EQ(all[2], "TRIAL  STATUS       ITER        loss     TIME  CONFIGURATION");
  EXPECT_EQ(all[3], "00000  RUNNING         0         0.0       1s  lr=0.1");
  EXPECT_THAT(all, testing::Contains("< curve >"));
  EXPECT_THAT(all, testing::Contains("panel line"));
  EXPECT_THAT(foot(), HasSubstr("? help  q quit  s sort: number"));
}

TEST_F(top_test, moves_among_trials_and_scrolls) {
  EXPECT_EQ(chosen(), "00000");
  press(kind::down);
  type("j");
  EXPECT_EQ(chosen(), "00002");
  press(kind::up);
  EXPECT_EQ(chosen(), "00001");
  press(kind::end);
  EXPECT_EQ(chosen(), "00029");
  press(kind::page_up);
  press(kind::home);
  EXPECT_EQ(chosen(), "00000");
  press(kind::up);
  EXPECT_EQ(chosen(), "00000");
}

TEST_F(top_test, keeps_the_chosen_trial_where_others_come) {
  press(kind::down);
  auto next = made_up(30);
  std::reverse(next.rows.begin(), next.rows.end());

  uut.take(next);

  EXPECT_EQ(chosen(), "00001");
  EXPECT_EQ(uut.wish().trial, trial_id{1});
}

TEST_F(top_test, chooses_a_neighbour_of_a_trial_that_is_gone) {
  press(kind::end);

  uut.take(made_up(3));
  EXPECT_EQ(chosen(), "00002");
  uut.take(made_up(0));
  EXPECT_EQ(chosen(), "");
  EXPECT_EQ(screen()[3], "no trial yet");
}

TEST_F(top_test, sorts_filters_and_turns_the_panel) {
  type("s");
  type("r");
  press(kind::right);
  type("/");
  type("status = ERRORED?");
  press(kind::backspace);
  EXPECT_EQ(foot(), "filter: status = ERRORED_");
  press(kind::enter);

  auto wish = uut.wish();
  EXPECT_EQ(wish.order, top_order::value);
  EXPECT_TRUE(wish.reversed);
  EXPECT_EQ(wish.panel, top_panel::history);
  EXPECT_EQ(wish.filter, "status = ERRORED");
  EXPECT_THAT(foot(), HasSubstr("filter: status = ERRORED"));
  press(kind::escape);
  EXPECT_EQ(uut.wish().filter, "");
  press(kind::left);
  press(kind::left);
  EXPECT_EQ(uut.wish().panel, top_panel::trial);
}

TEST_F(top_test, forgets_a_filter_that_is_escaped_from) {
  type("/");
  type("x");
  press(kind::escape);

  EXPECT_EQ(uut.wish().filter, "");
  EXPECT_THAT(foot(), HasSubstr("? help"));
}

TEST_F(top_test, asks_before_an_order) {
  press(kind::down);
  type("x");
  EXPECT_EQ(foot(), "Stop trial 00001? y/n");
  EXPECT_FALSE(uut.take_order());

  type("n");
  EXPECT_EQ(foot(), "nothing was changed");
  EXPECT_FALSE(uut.take_order());

  type("p");
  type("y");
  auto order = uut.take_order();
  ASSERT_TRUE(order);
  EXPECT_EQ(order->what, op::pause);
  EXPECT_EQ(order->trials, std::vector{trial_id{1}});
  EXPECT_FALSE(uut.take_order()) << "once";
  uut.told("trial 00001: it is told to pause");
  EXPECT_EQ(foot(), "trial 00001: it is told to pause");
}

TEST_F(top_test, orders_the_whole_experiment) {
  type("X");
  EXPECT_EQ(foot(), "Stop all of digits? y/n");
  type("y");

  auto order = uut.take_order();
  ASSERT_TRUE(order);
  EXPECT_EQ(order->what, op::stop);
  EXPECT_TRUE(order->trials.empty());
}

TEST_F(top_test, adds_a_trial) {
  type("a");
  type("lr=0.1  act=relu");
  press(kind::enter);
  EXPECT_EQ(foot(), "Add a trial with lr=0.1 act=relu? y/n");
  type("y");

  auto order = uut.take_order();
  ASSERT_TRUE(order);
  EXPECT_EQ(order->what, op::add);
  EXPECT_EQ(order->values, (std::vector<named_text>{{"lr", "0.1"}, {"act", "relu"}}));
}

TEST_F(top_test, adds_a_trial_with_blanks_in_its_values) {
  type("a");
  type(R"(model={"kind": "a b", "depth": [1, 2]} act="re lu \" x")");
  press(kind::enter);
  type("y");

  auto order = uut.take_order();
  ASSERT_TRUE(order);
  EXPECT_EQ(order->values,
            (std::vector<named_text>{{"model", R"({"kind": "a b", "depth": [1, 2]})"},
                                     {"act", R"("re lu \" x")"}}));
}

TEST_F(top_test, takes_no_configuration_of_another_form) {
  type("a");
  type("lr 0.1");
  press(kind::enter);

  EXPECT_THAT(foot(), HasSubstr("NAME=VALUE"));
  EXPECT_FALSE(uut.take_order());
}

TEST_F(top_test, changes_nothing_that_nobody_runs) {
  uut.take(made_up(3, false));
  for (const char* key : {"x", "p", "u", "X", "P", "U", "a"}) {
    type(key);
    EXPECT_THAT(foot(), HasSubstr("nobody runs this experiment"));
    type("y");
    EXPECT_FALSE(uut.take_order());
  }
}

TEST_F(top_test, explains_its_keys) {
  type("?");
  auto all = screen();
  EXPECT_THAT(all, testing::Contains(HasSubstr("stop, pause, unpause the trial")));
  type("x");

  EXPECT_THAT(screen(), Not(testing::Contains(HasSubstr("stop, pause"))));
  EXPECT_FALSE(uut.is_over());
  type("q");
  EXPECT_TRUE(uut.is_over());
}

TEST_F(top_test, says_what_is_wrong_with_a_filter) {
  auto data = made_up(0);
  data.fault = "filter: column 3: a comparison is expected";
  uut.take(data);

  EXPECT_EQ(foot(), "filter: column 3: a comparison is expected");
}

TEST_F(top_test, lets_no_control_character_through) {
  auto data = made_up(1);
  data.name = "a\x1b[2Jb";
  data.status = "c\x07";
  data.best = data.counts = data.metric = data.fault = data.panel_title
      = "d\x1b]0;evil\x07\xc2\x9b";
  data.rows[0].status = data.rows[0].config = data.rows[0].value = "e\x1b[31m\n";
  data.panel = {};
  uut.take(data);

  for (const auto& line : screen()) {
    EXPECT_TRUE(std::none_of(line.begin(), line.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20;
    })) << line;
    EXPECT_THAT(line, Not(HasSubstr("\xc2\x9b")));
  }
}

TEST(top_fields, read_an_overview) {
  const object about{{"status", "running"},
                     {"live", true},
                     {"elapsed_s", 90.0},
                     {"metric", "loss"},
                     {"trials", object{{"total", 5},
                                       {"terminated", 1},
                                       {"errored", 1},
                                       {"running", 2},
                                       {"paused", 0},
                                       {"pending", 1}}},
                     {"best", object{{"trial", 3}, {"value", 0.25}, {"iteration", 7}}}};

  auto data = data_of(about);

  EXPECT_EQ(data.counts, "2 of 5 trials ended, 2 running, 1 pending, 1 errored");
  EXPECT_EQ(data.best, "best loss 0.25 of trial 00003 at iteration 7");
  EXPECT_EQ(data.elapsed, "1m30s");
  EXPECT_TRUE(data.live);

  auto failed = about;
  failed.set("best", object{{"trial", 3}, {"value", 1}, {"iteration", 7}, {"status", "ERRORED"}});
  EXPECT_EQ(data_of(failed).best, "best loss 1 of trial 00003 (which failed later) at iteration 7");
}

TEST(top_fields, show_a_value_with_the_configuration_that_made_it) {
  object trial{{"trial", 3},
               {"status", "TERMINATED"},
               {"config", object{{"lr", 1.0}}},
               {"best_metrics", object{{"loss", 0.25}}},
               {"best_config", object{{"lr", 0.5}}}};

  EXPECT_EQ(row_of(trial, "loss", {}).config, "lr=0.5");
  auto lines = trial_lines(trial, 80, 20, {});
  EXPECT_THAT(lines, testing::Contains("configuration lr=1"));
  EXPECT_THAT(lines, testing::Contains("made with     lr=0.5"));

  trial.set("best_config", object{{"lr", 1.0}});
  EXPECT_EQ(row_of(trial, "loss", {}).config, "lr=1");
  EXPECT_THAT(trial_lines(trial, 80, 20, {}),
              Not(testing::Contains(testing::StartsWith("made with"))));
  trial.set("best_config", value{});
  EXPECT_EQ(row_of(trial, "loss", {}).config, "lr=1") << "there is no best report";
}

TEST(top_fields, keep_the_end_of_a_log) {
  EXPECT_EQ(last_lines("one\ntwo\nthree\n", 80, 2), (std::vector<std::string>{"two", "three"}));
  EXPECT_EQ(last_lines("10 %\r99 %\n", 80, 5), (std::vector<std::string>{"99 %"}));
  EXPECT_EQ(last_lines("a long line", 6, 5), (std::vector<std::string>{"a lon…"}));
  EXPECT_TRUE(last_lines("", 6, 5).empty());
}

} // namespace
} // namespace tune::cli
