// Facts for schedulers that are not about the fates of trials.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tune {
namespace {

struct scheduler_facts : testing::Test, support::run_by_hand {
  void take_node(const std::string& name, double cpus) {
    resources capacity;
    capacity.cpu = amount::of(cpus);
    post(on::node_up{name, capacity});
  }
  /// Nodes that came, with their capacity, and nodes that left: "+a 2 CPU -b ".
  [[nodiscard]] std::string heard_of_nodes() const {
    std::string result;
    for (const auto& x : ports.all<cmd::tell_scheduler>()) {
      if (const auto* up = std::get_if<fact::node_up>(&x.what.what))
        result += "+" + up->node + " " + to_text(up->capacity) + " ";
      else if (const auto* down = std::get_if<fact::node_down>(&x.what.what))
        result += "-" + down->node + " ";
    }
    return result;
  }
};

TEST_F(scheduler_facts, tell_what_nodes_offer) {
  open();
  take_node("a", 2);
  take_node("b", 1);
  take_node("a", 3);
  post(on::node_down{"b", "lost"});
  post(on::node_down{"b", "lost"});

  EXPECT_EQ(heard_of_nodes(), "+a 2 CPU +b 1 CPU +a 3 CPU -b ");
}

TEST_F(scheduler_facts, tell_that_the_nodes_of_a_head_are_gone_with_it) {
  open();
  take_node("b", 1);
  take_node("a", 2);
  post(on::opened{2, "test", "{}", 1});
  take_node("a", 2);

  EXPECT_EQ(heard_of_nodes(), "+b 1 CPU +a 2 CPU -a -b +a 2 CPU ");
}

/// What searchers hear of values that are no numbers.
struct diverging : testing::Test, support::run_by_hand {
  /// Whether the newest observation says that the trial diverged.
  [[nodiscard]] bool is_told() const { return ports.observed(zero).back().diverged; }
  void report_without_metric() {
    auto what = std::make_shared<tune::report>();
    what->trial = zero;
    what->attempt = attempt;
    what->number = ++reports;
    what->iteration = ++iteration;
    what->metrics = std::make_shared<object>(object{{"other", 1.0}});
    post(on::reported{what});
    decide(go_on{});
  }
};

TEST_F(diverging, is_told_of_a_value_that_is_no_number_and_not_of_one_that_is_missing) {
  open();
  run();
  report(zero, 0.5);
  EXPECT_FALSE(is_told());
  decide(go_on{});
  report_without_metric();
  EXPECT_FALSE(is_told());
  report(zero, std::nan(""));
  EXPECT_TRUE(is_told());
  decide(go_on{});
  report(zero, -HUGE_VAL);
  EXPECT_TRUE(is_told());
  decide(go_on{});
  report(zero, 0.25);
  EXPECT_FALSE(is_told());
}

TEST_F(diverging, is_told_of_an_end_without_a_number) {
  open();
  run();
  report(zero, 0.5);
  decide(go_on{});
  report_without_metric();
  end(end_class::finished);

  EXPECT_EQ(ports.observed(zero).back().how, outcome::completed);
  EXPECT_TRUE(is_told());
}

TEST_F(diverging, was_not_told_by_earlier_heads) {
  make();
  post(on::opened{1, "test", "{}", 1, opening::at_once, on::learns_divergence - 1});
  suggest(1);
  run();
  report(zero, std::nan(""));

  EXPECT_FALSE(is_told());
}

/// A trial that the scheduler does not start, so that the scheduler is asked to resolve the stall.
struct stalled_facts : scheduler_facts {
  sequence question = 0;

  void SetUp() override {
    settings.max_trials = 1;
    open();
    choose({});
    question = ports.last<cmd::resolve_stall>().at;
  }
  [[nodiscard]] bool heard_no_verdict() const {
    for (const auto& x : ports.all<cmd::tell_scheduler>()) {
      if (std::holds_alternative<fact::decided>(x.what.what))
        return false;
    }
    return true;
  }
};

TEST_F(stalled_facts, ask_once_under_the_next_head) {
  auto before = ports.all<cmd::resolve_stall>().size();

  post(on::opened{2, "test", "{}", 1});
  uut->resume({});

  EXPECT_EQ(ports.all<cmd::resolve_stall>().size(), before + 1);
}

TEST_F(stalled_facts, make_an_empty_answer_old) {
  take_node("a", 2);

  post(on::decided{{{question, {}}}});

  EXPECT_TRUE(ports.all<cmd::finish>().empty());
  run();
  EXPECT_EQ(status(), trial_status::running);
}

TEST_F(stalled_facts, make_an_answer_old_where_nobody_was_chosen_since) {
  take_node("a", 2);
  choose({});

  post(on::decided{{{question, {}}}});

  EXPECT_TRUE(ports.all<cmd::finish>().empty());
  choose({});
  ASSERT_EQ(ports.all<cmd::resolve_stall>().size(), 2u);
  post(on::decided{{{ports.last<cmd::resolve_stall>().at, {}}}});
  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::stalled);
}

TEST_F(stalled_facts, do_not_put_off_an_empty_answer_for_ever) {
  take_node("a", 2);
  post(on::decided{{{question, {}}}});
  choose({});

  post(on::decided{{{ports.last<cmd::resolve_stall>().at, {}}}});

  ASSERT_EQ(ports.all<cmd::finish>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::stalled);
}

TEST_F(stalled_facts, make_an_answer_old_that_would_end_trials) {
  // With the new node the trial may run after all.
  take_node("a", 2);

  post(on::decided{{{question, {{zero, stop{}, {}}}}}});

  EXPECT_EQ(status(), trial_status::pending);
  EXPECT_TRUE(heard_no_verdict());
  run();
  EXPECT_EQ(status(), trial_status::running);
}

TEST_F(stalled_facts, leave_an_answer_that_nothing_has_overtaken) {
  take_node("a", 2);
  post(on::decided{{{question, {{zero, stop{}, {}}}}}});
  choose({});

  post(on::decided{{{ports.last<cmd::resolve_stall>().at, {{zero, stop{}, {}}}}}});

  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(stalled_facts, end_trials_all_the_same_under_heads_of_earlier_versions) {
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::dooms_all_named});
  choose({});
  question = ports.last<cmd::resolve_stall>().at;
  take_node("a", 2);

  post(on::decided{{{question, {{zero, stop{}, {}}}}}});

  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(stalled_facts, make_a_choice_old_by_notes_alone) {
  // The scheduler is asked to choose; before its answer arrives, a round ends that changed nothing
  // else. Heads from `answers_stalls_anew` on drop such a decision, so the head here is an older
  // one.
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::dooms_all_named});
  choose({});
  question = ports.last<cmd::resolve_stall>().at;
  take_node("a", 2);
  post(on::decided{{{question, {{zero, annotate{{{"round", 3}}}, {}}}}}});

  choose({});

  EXPECT_EQ(ports.last<cmd::resolve_stall>().at, question);
  EXPECT_TRUE(ports.all<cmd::finish>().empty());
  run();
  EXPECT_EQ(status(), trial_status::running);
}

TEST_F(scheduler_facts, make_an_answer_old_where_more_trials_are_on_their_way) {
  settings.max_trials = 2;
  open();
  choose({});
  post(on::suggested{ports.last<cmd::ask_searcher>().what.number, nothing_yet{}});
  auto question = ports.last<cmd::resolve_stall>().at;
  // No trial is left, and the searcher is asked for more.
  order(on::stop_asked{zero, "enough"});

  post(on::decided{{{question, {{zero, stop{}, {}}}}}});

  EXPECT_TRUE(ports.all<cmd::finish>().empty());
  suggest(1);
  run({1});
  EXPECT_EQ(status({1}), trial_status::running);
}

TEST_F(scheduler_facts, let_a_trial_pause_with_other_resources_than_it_had) {
  resource_request four;
  four.bundles.emplace_back().cpu = amount::of(4);
  open();
  run();
  report();
  const auto cause = ports.all<cmd::judge>().back().cause;
  post(on::decided{{{cause, {{zero, pause_trial{}, {}}, {zero, set_resources{four}, {}}}}}});
  save();
  end(end_class::stopped);
  choose();

  EXPECT_EQ(ports.actions(), (std::vector<std::string>{"pause", "set_resources"}));
  EXPECT_EQ(ports.last<cmd::place>().request.bundles, four.bundles);
}

TEST_F(scheduler_facts, tell_of_a_node_that_leaves_as_of_one_that_is_gone) {
  open();
  take_node("a", 2);
  post(on::node_leaving{"a"});
  post(on::node_down{"a", "left"});

  EXPECT_EQ(heard_of_nodes(), "+a 2 CPU -a ");
}

/// A trial that paused in order to go on with 4 CPUs, and waits for them.
struct other_resources : scheduler_facts {
  resource_request four;

  void SetUp() override {
    four.bundles.emplace_back().cpu = amount::of(4);
    settings.request.bundles.emplace_back().cpu = amount::of(1);
    open();
    take_node("a", 4);
    run();
    report();
    const auto cause = ports.all<cmd::judge>().back().cause;
    post(on::decided{{{cause, {{zero, pause_trial{}, {}}, {zero, set_resources{four}, {}}}}}});
    save();
    end(end_class::stopped);
    choose();
    ASSERT_EQ(ports.last<cmd::place>().request.bundles, four.bundles);
  }
};

TEST_F(other_resources, may_be_thought_over_when_a_node_went) {
  const auto told = ports.heard<fact::added>(zero);

  post(on::node_down{"a", "lost"});

  EXPECT_EQ(ports.all<cmd::cancel_place>().size(), 1u);
  EXPECT_EQ(ports.heard<fact::added>(zero), told + 1);
  EXPECT_EQ(status(), trial_status::pending);
  // A lease that was granted just before is given back.
  place();
  EXPECT_EQ(ports.all<cmd::release>().size(), 1u);
  choose();
  EXPECT_EQ(ports.all<cmd::place>().size(), 3u);
}

TEST_F(other_resources, may_be_thought_over_once_when_they_are_refused) {
  post(on::place_refused{zero, "no node has 4 CPU"});
  EXPECT_EQ(status(), trial_status::pending);

  choose();
  post(on::place_refused{zero, "no node has 4 CPU"});

  EXPECT_EQ(status(), trial_status::errored);
}

} // namespace
} // namespace tune
