// Attempts on a node that is about to leave.
// SPDX-License-Identifier: BSD-3-Clause
#include "one_trial.hpp"

namespace tune {
namespace {

struct leaving_node : samples::one_trial {
  void go(const std::string& node = "near") { post(on::node_leaving{node}); }
  void save_and_end() {
    save("there");
    end(end_class::stopped);
  }
  void begin() {
    open();
    choose();
    place();
  }
  [[nodiscard]] end_class how() const { return ports.last<cmd::attempt_changed>().how; }
};

TEST_F(leaving_node, has_its_trial_saved_at_its_next_report) {
  begin();
  report();
  decide(go_on{});
  go();
  report();
  EXPECT_TRUE(ports.all<cmd::save>().empty());
  decide(go_on{});
  ASSERT_EQ(ports.all<cmd::save>().size(), 1u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
  save_and_end();

  EXPECT_EQ(how(), end_class::preempted);
  EXPECT_EQ(status(), trial_status::pending);
  EXPECT_EQ(ports.last<cmd::trial_changed>().failures, 0u);
  choose();
  place("far");
  EXPECT_EQ(ports.last<cmd::launch>().from_location, "there");
  EXPECT_EQ(ports.last<cmd::launch>().iteration, 2u);
}

TEST_F(leaving_node, has_a_trial_saved_at_once_that_waits_for_its_answer) {
  begin();
  report();
  go();

  EXPECT_EQ(ports.all<cmd::save>().size(), 1u);
}

TEST_F(leaving_node, lets_a_trial_reach_its_first_report) {
  begin();
  go();
  EXPECT_TRUE(ports.all<cmd::halt>().empty());
  report();
  decide(go_on{});

  EXPECT_EQ(ports.all<cmd::save>().size(), 1u);
}

TEST_F(leaving_node, concerns_no_trial_elsewhere) {
  begin();
  report();
  go("far");

  EXPECT_TRUE(ports.all<cmd::save>().empty());
}

TEST_F(leaving_node, leaves_a_trial_alone_that_cannot_save) {
  settings.saves = save_ability::none;
  begin();
  report();
  go();
  decide(go_on{});

  EXPECT_TRUE(ports.all<cmd::halt>().empty());
  EXPECT_EQ(ports.all<cmd::proceed>().size(), 1u);
  end(end_class::finished);
  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(leaving_node, whose_time_is_up_costs_what_was_not_saved) {
  begin();
  report();
  go();
  end(end_class::preempted, "its node leaves");

  EXPECT_EQ(how(), end_class::preempted);
  EXPECT_EQ(status(), trial_status::pending);
  choose();
  place("far");
  EXPECT_EQ(ports.last<cmd::launch>().iteration, 0u);
}

TEST_F(leaving_node, where_nothing_can_be_saved_lets_the_trial_train_on) {
  begin();
  report();
  go();
  auto wanted = ports.last<cmd::save>();
  post(on::save_failed{wanted.trial, wanted.attempt, wanted.checkpoint, "disk full"});
  decide(go_on{});
  EXPECT_EQ(ports.all<cmd::proceed>().size(), 1u);
  end(end_class::preempted, "its node leaves");

  EXPECT_EQ(status(), trial_status::pending);
  EXPECT_EQ(ports.last<cmd::trial_changed>().failures, 0u);
}

TEST_F(leaving_node, costs_no_failure_where_the_checkpoint_to_leave_off_with_is_too_much) {
  begin();
  report();
  go();
  auto wanted = ports.last<cmd::save>();
  post(on::save_failed{wanted.trial, wanted.attempt, wanted.checkpoint, "it holds too much"});
  end(end_class::user_error, "it ended with a checkpoint that could not be kept");

  EXPECT_EQ(how(), end_class::preempted);
  EXPECT_EQ(status(), trial_status::pending);
  EXPECT_EQ(ports.last<cmd::trial_changed>().failures, 0u);
}

TEST_F(leaving_node, keeps_a_pause_that_was_decided) {
  begin();
  report();
  decide(pause_trial{});
  go();
  save_and_end();

  EXPECT_EQ(how(), end_class::paused);
  EXPECT_EQ(status(), trial_status::paused);
}

TEST_F(leaving_node, gives_way_to_a_pause_that_is_decided_meanwhile) {
  begin();
  report();
  go();
  decide(pause_trial{});
  save_and_end();

  EXPECT_EQ(status(), trial_status::paused);
}

TEST_F(leaving_node, gives_way_to_a_stop) {
  begin();
  report();
  go();
  decide(stop{});
  save_and_end();

  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(leaving_node, is_not_lost_where_its_last_words_come_too_late) {
  begin();
  go();
  post(on::node_down{"near", "it left"});

  EXPECT_EQ(how(), end_class::preempted);
  EXPECT_EQ(ports.last<cmd::attempt_changed>().detail, "node near left");
  EXPECT_EQ(ports.last<cmd::trial_changed>().failures, 0u);
  choose();
  place("far");
  EXPECT_EQ(status(), trial_status::running);
}

TEST_F(leaving_node, that_is_killed_costs_no_failure_and_is_not_said_to_have_left) {
  settings.failures.budget[static_cast<std::size_t>(end_class::node_lost)] = 0;
  begin();
  go();
  post(on::node_down{"near", "it was killed", true});

  EXPECT_EQ(how(), end_class::preempted);
  EXPECT_EQ(ports.last<cmd::attempt_changed>().detail,
            "node near was lost as it was leaving: it was killed");
  EXPECT_EQ(status(), trial_status::pending);
  EXPECT_EQ(ports.last<cmd::trial_changed>().failures, 0u);
}

TEST_F(leaving_node, is_not_trusted_with_a_pause_in_its_memory) {
  settings.checkpoints.pause_in_memory = true;
  begin();
  go();
  report();
  decide(go_on{});
  auto wanted = ports.last<cmd::save>();
  post(on::save_failed{wanted.trial, wanted.attempt, wanted.checkpoint, "disk full"});
  report();
  decide(pause_trial{});

  ASSERT_EQ(ports.all<cmd::save>().size(), 2u);
  EXPECT_FALSE(ports.last<cmd::save>().in_memory);
}

} // namespace
} // namespace tune
