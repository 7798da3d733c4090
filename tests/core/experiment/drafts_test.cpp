// Configurations drawn ahead, and thought over once their trials are granted resources.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

config_ptr x_is(int x) {
  return std::make_shared<const object>(object{{"x", x}});
}

struct drafts : support::run_by_hand, testing::Test {
  static constexpr trial_id one{1};

  drafts() { settings.draft_patience = 50ms; }

  /// Starts trial 0, draws trial 1 as a draft before anything is known of trial 0, and has trial 1
  /// chosen.
  void begin() {
    open(1);
    run();
    post(on::suggested{question().number, std::vector<suggestion>{{x_is(1), "a model", true}}});
    choose({one});
  }
  /// Begins, and lets trial 0 report and end.
  void begin_and_learn() {
    begin();
    report();
    end(end_class::finished);
  }
  void grant(const std::string& node = "here") {
    post(uut->machine().granted(one, lease{{++leases}, {{node, {}, {}}}}));
  }
  [[nodiscard]] ask question() const { return ports.all<cmd::ask_searcher>().back().what; }
  void answer(int x) {
    post(on::suggested{question().number, std::vector<suggestion>{{x_is(x), "a better model"}}});
  }
  /// Answers that the searcher was told of, each as its first trial and its number of trials.
  [[nodiscard]] std::vector<std::string> told() const {
    std::vector<std::string> result;
    for (const auto& x : ports.all<cmd::tell_searcher>()) {
      if (const auto* made = std::get_if<suggested_fact>(&x.what.what)) {
        const auto* list = std::get_if<std::vector<suggestion>>(&made->what);
        result.push_back(to_text(made->first) + ": "
                         + (list != nullptr ? std::to_string(list->size()) : "nothing"));
      }
    }
    return result;
  }
  [[nodiscard]] std::size_t launches() const { return ports.all<cmd::launch>().size(); }
};

TEST_F(drafts, are_thought_over_before_they_run) {
  begin_and_learn();
  grant();

  EXPECT_EQ(launches(), 1u);
  EXPECT_EQ(question().trial, one);
  EXPECT_EQ(question().count, 1u);
  answer(2);

  ASSERT_EQ(launches(), 2u);
  EXPECT_EQ(*launched().config, *x_is(2));
  EXPECT_EQ(launched().trial, one);
  EXPECT_EQ(row(one).origin, "a better model");
  EXPECT_EQ(row(one).status, trial_status::running);
  EXPECT_THAT(told(), ElementsAre("00000: 1", "00001: 1", "00001: 1"));
  EXPECT_EQ(uut->machine().next_deadline(), std::nullopt);
}

TEST_F(drafts, are_told_to_the_scheduler_where_they_were_replaced) {
  begin_and_learn();
  grant();
  answer(2);

  std::vector<config_ptr> heard;
  for (const auto& x : ports.all<cmd::tell_scheduler>()) {
    if (const auto* began = std::get_if<fact::started>(&x.what.what))
      heard.push_back(began->config);
  }
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0], nullptr);
  EXPECT_EQ(*heard[1], *x_is(2));
}

TEST_F(drafts, run_at_once_where_nothing_was_learnt_since) {
  begin();
  report();
  grant();

  ASSERT_EQ(launches(), 2u);
  EXPECT_EQ(*launched().config, *x_is(1));
}

TEST_F(drafts, are_always_thought_over_where_they_are_quick) {
  settings.drafts = drafting::quick;
  begin();
  grant();

  EXPECT_EQ(launches(), 1u);
  EXPECT_EQ(question().trial, one);
}

TEST_F(drafts, run_as_they_are_where_the_searcher_takes_too_long) {
  begin_and_learn();
  grant();
  let_pass(49ms);
  EXPECT_EQ(launches(), 1u);
  let_pass(1ms);

  ASSERT_EQ(launches(), 2u);
  EXPECT_EQ(*launched().config, *x_is(1));
  EXPECT_THAT(row(one).origin, HasSubstr("drawn ahead"));
  answer(2);
  EXPECT_EQ(launches(), 2u);
  EXPECT_EQ(*row(one).config, *x_is(1));
  EXPECT_EQ(told().back(), "00001: nothing");
}

TEST_F(drafts, wait_without_end_where_no_limit_is_set) {
  settings.draft_patience = 0s;
  begin_and_learn();
  grant();
  let_pass(1h);
  EXPECT_EQ(launches(), 1u);
  answer(2);
  EXPECT_EQ(launches(), 2u);
}

TEST_F(drafts, stand_where_the_searcher_has_nothing_better) {
  begin_and_learn();
  grant();
  post(on::suggested{question().number, nothing_yet{}});

  ASSERT_EQ(launches(), 2u);
  EXPECT_EQ(*launched().config, *x_is(1));
  EXPECT_EQ(row(one).origin, "a model");
}

TEST_F(drafts, give_back_what_they_were_granted_when_they_are_stopped) {
  begin_and_learn();
  grant();
  post(on::stop_asked{one, "enough"});

  EXPECT_EQ(ports.last<cmd::release>().lease, lease_id{leases});
  EXPECT_THAT(ports.all<cmd::cancel_place>(), IsEmpty());
  EXPECT_EQ(status(one), trial_status::terminated);
  answer(2);
  EXPECT_EQ(launches(), 1u);
  EXPECT_EQ(told().back(), "00001: nothing");
}

TEST_F(drafts, give_back_what_they_were_granted_while_the_experiment_is_paused) {
  begin_and_learn();
  grant();
  post(on::pause_asked{});
  EXPECT_EQ(ports.last<cmd::release>().lease, lease_id{leases});
  answer(2);
  EXPECT_EQ(launches(), 1u);
  post(on::unpause_asked{});
  EXPECT_EQ(ports.last<cmd::place>().trial, one);
  grant();

  ASSERT_EQ(launches(), 2u);
  EXPECT_EQ(*launched().config, *x_is(2));
}

TEST_F(drafts, are_placed_anew_when_their_node_is_lost) {
  begin_and_learn();
  auto before = ports.all<cmd::place>().size();
  grant("there");
  post(on::node_down{"there", "gone"});

  EXPECT_EQ(ports.last<cmd::release>().lease, lease_id{leases});
  EXPECT_EQ(ports.all<cmd::place>().size(), before + 1);
  grant();
  answer(2);
  ASSERT_EQ(launches(), 2u);
  EXPECT_EQ(launched().where.bundles.front().node, "here");
}

TEST_F(drafts, are_asked_about_again_by_the_next_head) {
  begin_and_learn();
  grant();
  auto asked = question();
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::present_draws});
  ports.done.clear();
  uut->resume(now);

  ASSERT_EQ(ports.all<cmd::ask_searcher>().size(), 1u);
  EXPECT_EQ(question().number, asked.number);
  EXPECT_EQ(question().at, asked.at);
  EXPECT_EQ(question().trial, one);
  answer(2);
  choose({one});
  EXPECT_EQ(ports.last<cmd::place>().trial, one);
  EXPECT_EQ(launches(), 0u);
  grant();
  ASSERT_EQ(launches(), 1u);
  EXPECT_EQ(*launched().config, *x_is(2));
}

/// Trials announced to the scheduler as keeping their place, that is, without being moved to the
/// end.
std::vector<std::string> in_place(const support::noting_ports& ports) {
  std::vector<std::string> result;
  for (const auto& x : ports.all<cmd::tell_scheduler>()) {
    const auto* added = std::get_if<fact::added>(&x.what.what);
    if (added != nullptr && !added->again)
      result.push_back(to_text(added->trial));
  }
  return result;
}

TEST_F(drafts, wait_behind_what_ran_when_its_head_was_lost) {
  begin();
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::present_draws});
  end(end_class::interrupted);
  ports.done.clear();
  uut->resume(now);

  // Neither trial has resources, so the scheduler says whose turn it is.
  EXPECT_THAT(ports.all<cmd::place>(), IsEmpty());
  run();
  EXPECT_EQ(launched().trial, zero);
  report();
  end(end_class::finished);
  choose({one});
  grant();
  EXPECT_EQ(question().trial, one) << "it is thought over with what was learnt since";
}

TEST_F(drafts, stand_where_they_stood_under_the_next_head) {
  begin();
  ports.done.clear();
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::present_draws});
  end(end_class::interrupted);

  EXPECT_THAT(in_place(ports), ElementsAre("00001", "00000"));
}

TEST_F(drafts, stand_where_they_stood_where_the_last_head_left_off) {
  begin();
  post(on::interrupted{"Ctrl-C"});
  end(end_class::interrupted);
  ports.done.clear();
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::present_draws});

  EXPECT_THAT(in_place(ports), ElementsAre("00000", "00001"));
}

TEST_F(drafts, of_records_of_earlier_heads_go_first) {
  begin();
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::keeps_places - 1});
  end(end_class::interrupted);
  ports.done.clear();
  uut->resume(now);

  EXPECT_EQ(ports.last<cmd::place>().trial, one);
  EXPECT_THAT(in_place(ports), IsEmpty());
}

TEST_F(drafts, are_told_as_such_where_the_searcher_may_draw_them) {
  settings.drafts = drafting::quick;
  open();
  EXPECT_EQ(question().drafts, drafting::quick);
}

TEST_F(drafts, are_not_wanted_where_configurations_run_several_times) {
  settings.repeats.runs = 2;
  open();
  EXPECT_EQ(question().drafts, drafting::none);
}

} // namespace
} // namespace tune
