// Reports at which a trial is to pause, or that arrive while it ends: each is judged once.
// SPDX-License-Identifier: BSD-3-Clause
#include "one_trial.hpp"

namespace tune {
namespace {

struct judged_pause : samples::one_trial {
  void begin() {
    open();
    choose();
    place();
    report();
    decide(go_on{});
  }
  [[nodiscard]] std::size_t saves() const { return ports.all<cmd::save>().size(); }
  [[nodiscard]] std::size_t questions() const { return ports.all<cmd::judge>().size(); }
  [[nodiscard]] std::size_t results() const { return ports.heard<fact::result>(zero); }
};

TEST_F(judged_pause, takes_effect_with_the_verdict) {
  begin();
  post(on::pause_asked{zero});
  report();
  EXPECT_EQ(questions(), 2u);
  EXPECT_EQ(saves(), 0u);
  decide(go_on{});

  ASSERT_EQ(saves(), 1u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
  EXPECT_EQ(ports.last<cmd::save>().iteration, 2u);
}

TEST_F(judged_pause, gives_way_to_a_stop_that_is_due_at_its_report) {
  begin();
  post(on::pause_asked{zero});
  report();
  decide(stop{});
  EXPECT_EQ(saves(), 0u);
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(judged_pause, gives_way_to_what_the_trainable_says) {
  begin();
  post(on::interrupted{"Ctrl-C"});
  report(zero, 0.5, true);
  EXPECT_EQ(saves(), 0u);
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(judged_pause, comes_at_once_where_nothing_is_to_be_judged) {
  settings.objectives = {{"accuracy", true}};
  open();
  choose();
  place();
  post(on::pause_asked{zero});
  report();

  EXPECT_EQ(questions(), 0u);
  EXPECT_EQ(saves(), 1u);
}

TEST_F(judged_pause, of_a_run_that_leaves_off_is_judged_too) {
  begin();
  post(on::interrupted{"Ctrl-C"});
  report();
  EXPECT_EQ(results(), 2u);
  decide(go_on{});
  save("there");
  end(end_class::stopped);

  EXPECT_EQ(ports.last<cmd::attempt_changed>().how, end_class::interrupted);
  EXPECT_EQ(status(), trial_status::pending);
}

TEST_F(judged_pause, on_a_node_that_leaves_is_judged_too) {
  begin();
  post(on::node_leaving{"near"});
  report();
  decide(stop{});
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(judged_pause, waits_for_no_second_verdict_on_a_repeat) {
  begin();
  end(end_class::preempted);
  choose();
  place();
  post(on::pause_asked{zero});
  report();

  EXPECT_EQ(questions(), 1u);
  EXPECT_EQ(saves(), 1u);
}

/// A report arrives while the trial is being ended, and nobody waits for the verdict.
struct judged_end : judged_pause {
  void SetUp() override {
    settings.saves = save_ability::with_reports;
    begin();
    post(on::interrupted{"Ctrl-C"});
  }
};

TEST_F(judged_end, shows_its_report_to_the_scheduler_at_once) {
  report();

  EXPECT_EQ(results(), 2u);
  EXPECT_EQ(questions(), 2u);
  EXPECT_EQ(ports.all<cmd::proceed>().size(), 1u);
}

TEST_F(judged_end, has_its_report_judged_once) {
  report();
  end(end_class::stopped);
  post(on::opened{2, "test", "{}", 1});
  choose();
  place();
  report();
  report();

  EXPECT_EQ(results(), 2u);
  EXPECT_EQ(questions(), 2u);
}

TEST_F(judged_end, follows_a_verdict_that_comes_in_time) {
  report();
  decide(stop{});
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(judged_end, follows_a_verdict_that_comes_under_the_next_head) {
  report();
  end(end_class::stopped);
  post(on::opened{2, "test", "{}", 1});
  decide(stop{});

  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(judged_end, meets_conditions_by_its_report) {
  report(zero, 0.5, true);
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(questions(), 1u);
}

/// The head was lost before the verdict on the second report came.
struct open_question : judged_pause {
  void SetUp() override {
    begin();
    report();
  }
  void lose_head() {
    auto log = ports.log;
    make();
    for (const auto& x : log)
      uut->replay(x);
    ports.done.clear();
    post(on::opened{2, "test", "{}", 1});
    end(end_class::interrupted);
    uut->resume(now);
  }
};

TEST_F(open_question, is_put_again_by_the_next_head) {
  auto cause = ports.last<cmd::judge>().cause;
  lose_head();

  ASSERT_EQ(questions(), 1u);
  EXPECT_EQ(ports.last<cmd::judge>().cause, cause);
}

TEST_F(open_question, is_answered_for_the_report_that_it_was_about) {
  lose_head();
  decide(pause_trial{});
  choose();
  place();
  report();
  EXPECT_EQ(saves(), 0u);
  report();

  ASSERT_EQ(saves(), 1u);
  EXPECT_EQ(ports.last<cmd::save>().iteration, 2u);
}

TEST_F(open_question, is_put_again_until_it_is_answered) {
  lose_head();
  lose_head();
  EXPECT_EQ(questions(), 1u);
  decide(stop{});
  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(open_question, is_not_put_again_once_it_was_answered) {
  decide(go_on{});
  lose_head();

  EXPECT_EQ(questions(), 0u);
}

TEST_F(open_question, is_dropped_where_the_trial_got_further) {
  end(end_class::preempted);
  choose();
  place();
  report();
  report();
  report();
  ASSERT_EQ(questions(), 3u);
  decide(go_on{});
  lose_head();

  EXPECT_EQ(questions(), 0u);
}

/// After Ctrl-C the trial is asked to save, answers that it cannot save on request, and trains on
/// meanwhile.
TEST_F(judged_pause, counts_the_last_report_of_one_that_cannot_be_asked) {
  begin();
  post(on::interrupted{"Ctrl-C"});
  report();
  decide(go_on{});
  auto asked = ports.last<cmd::save>();
  post(on::save_failed{zero, attempt, asked.checkpoint, "not now", asked.iteration, true});
  ASSERT_EQ(ports.all<cmd::halt>().size(), 1u);

  report();
  end(end_class::stopped);

  EXPECT_EQ(results(), 3u);
  EXPECT_EQ(questions(), 3u);
}

} // namespace
} // namespace tune
