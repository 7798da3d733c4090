// Reports at which a trial is to pause, or which come while it ends: each is judged once.
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

// It was seen, but came too late to be judged.
TEST_F(judged_pause, leaves_a_report_that_was_not_judged_to_be_judged_as_it_comes_again) {
  settings.saves = save_ability::with_reports;
  begin();
  post(on::interrupted{"Ctrl-C"});
  report();
  EXPECT_EQ(questions(), 1u);
  end(end_class::stopped);
  post(on::opened{2, "test", "{}", 1});
  choose();
  place();
  report();
  EXPECT_EQ(questions(), 1u);
  report(zero, 0.25);

  EXPECT_EQ(questions(), 2u);
  EXPECT_EQ(results(), 2u);
  EXPECT_EQ(metric_number(*ports.last<cmd::trial_progressed>().last, "loss"), 0.5);
}

} // namespace
} // namespace tune
