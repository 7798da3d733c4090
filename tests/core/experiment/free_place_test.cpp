// How long a free place waits for a model.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"

#include "tune/core/check/log_check.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::IsEmpty;

config_ptr x_is(int x) {
  return std::make_shared<const object>(object{{"x", x}});
}

/// Trials 0 and 1 run, and the searcher works out the next configuration.
struct free_places : support::run_by_hand, testing::Test {
  free_places() {
    sketches = true;
    settings.draft_patience = 50ms;
  }

  void begin(std::uint32_t draws = on::present_draws) {
    make();
    post(on::opened{1, "test", "{}", 1, opening::at_once, draws});
    suggest(2);
    choose({{0}, {1}});
    for (std::uint64_t i : {0, 1}) {
      place({i});
      attempts[i] = attempt;
    }
    asked = question().number;
  }
  void finish(std::uint64_t trial) {
    post(on::ended{{trial}, attempts.at(trial), end_class::finished, {}, {}});
  }
  [[nodiscard]] ask question() const { return ports.all<cmd::ask_searcher>().back().what; }
  void answer(int x, bool draft = true) {
    post(on::suggested{question().number, std::vector<suggestion>{{x_is(x), "a model", draft}}});
  }
  void grant(trial_id id) {
    post(uut->machine().granted(id, lease{{++leases}, {{"here", {}, {}}}}));
  }
  [[nodiscard]] std::size_t launches() const { return ports.all<cmd::launch>().size(); }

  std::map<std::uint64_t, attempt_id> attempts;
  std::uint64_t asked = 0;
};

TEST_F(free_places, get_what_is_drawn_at_once_where_a_model_takes_too_long) {
  begin();
  finish(0);
  finish(1);
  let_pass(49ms);
  EXPECT_EQ(question().number, asked);
  let_pass(1ms);

  EXPECT_EQ(question().number, asked + 1);
  EXPECT_EQ(question().drafts, drafting::quick);
  EXPECT_EQ(question().trial, std::nullopt);
  answer(2);
  choose({{2}});
  grant({2});
  ASSERT_EQ(launches(), 3u);
  EXPECT_EQ(*launched().config, *x_is(2));
  EXPECT_THAT(row({2}).origin, EndsWith(", drawn ahead: the searcher was not quick enough"));
  // The other place has waited as long.
  EXPECT_EQ(question().drafts, drafting::quick);
  answer(3);
  choose({{3}});
  grant({3});
  EXPECT_EQ(launches(), 4u);
  EXPECT_EQ(question().drafts, drafting::thorough);
}

TEST_F(free_places, do_not_take_the_answer_that_came_too_late) {
  begin();
  finish(0);
  let_pass(50ms);
  auto trials = uut->machine().view().counts;
  post(on::suggested{asked, std::vector<suggestion>{{x_is(7), "too late", true}}});

  EXPECT_EQ(uut->machine().view().counts, trials);
  EXPECT_EQ(question().drafts, drafting::quick);
}

TEST_F(free_places, have_a_draft_thought_over_in_what_is_left_of_the_time) {
  begin();
  finish(0);
  let_pass(30ms);
  // What was asked for before is known now.
  finish(1);
  answer(2);
  choose({{2}});
  grant({2});
  EXPECT_EQ(question().trial, trial_id{2});
  let_pass(19ms);
  EXPECT_EQ(launches(), 2u);
  let_pass(1ms);

  EXPECT_EQ(launches(), 3u);
  EXPECT_EQ(*launched().config, *x_is(2));
}

TEST_F(free_places, leave_a_draft_its_time_where_the_cluster_had_none) {
  begin();
  finish(0);
  let_pass(30ms);
  answer(2);
  choose({{2}});
  let_pass(60s);
  finish(1);
  grant({2});
  let_pass(49ms);
  EXPECT_EQ(launches(), 2u);
  let_pass(1ms);
  EXPECT_EQ(launches(), 3u);
}

TEST_F(free_places, are_none_while_as_many_trials_run_as_ever) {
  begin();
  let_pass(1h);
  EXPECT_EQ(question().number, asked);
  EXPECT_EQ(uut->machine().next_deadline(), std::nullopt);
}

TEST_F(free_places, are_none_once_their_node_has_gone) {
  begin();
  post(on::node_up{"there", {}});
  finish(0);
  post(on::node_down{"there", "gone"});
  let_pass(1h);
  EXPECT_EQ(question().number, asked);
}

TEST_F(free_places, wait_as_long_as_it_takes_where_that_is_wanted) {
  settings.draft_patience = 0s;
  begin();
  finish(0);
  let_pass(1h);
  EXPECT_EQ(question().number, asked);
}

TEST_F(free_places, wait_for_a_searcher_that_draws_nothing_at_once) {
  sketches = false;
  begin();
  finish(0);
  let_pass(1h);
  EXPECT_EQ(question().number, asked);
}

TEST_F(free_places, wait_in_records_of_earlier_heads) {
  begin(on::bounds_model_waits - 1);
  finish(0);
  let_pass(1h);
  EXPECT_EQ(question().number, asked);
  EXPECT_EQ(uut->machine().next_deadline(), std::nullopt);
}

TEST_F(free_places, leave_a_log_without_faults) {
  begin();
  finish(0);
  let_pass(50ms);
  answer(2);
  log_check all{settings};
  for (const auto& x : ports.log)
    all.see(x, {});

  std::vector<std::string> faults;
  for (const auto& x : all.found().kept()) {
    if (x.what.starts_with("ask ") || x.what.starts_with("an answer"))
      faults.push_back(x.what);
  }
  EXPECT_THAT(faults, IsEmpty());
}

} // namespace
} // namespace tune
