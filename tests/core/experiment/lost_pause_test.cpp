// Pauses that the scheduler decided, but whose attempts were lost before the pauses took effect.
// SPDX-License-Identifier: BSD-3-Clause
#include "one_trial.hpp"

namespace tune {
namespace {

struct lost_pause : samples::one_trial {
  /// The trial is told to pause at its second report, and is asked to save.
  void begin() {
    open();
    choose();
    place();
    report();
    decide(go_on{});
    report();
    decide(pause_trial{});
  }
  void again() {
    choose();
    place();
  }
  [[nodiscard]] std::size_t saves() const { return ports.all<cmd::save>().size(); }
  [[nodiscard]] std::size_t questions() const { return ports.all<cmd::judge>().size(); }
  [[nodiscard]] std::size_t results() const { return ports.heard<fact::result>(zero); }
};

TEST_F(lost_pause, is_made_up_for_at_the_same_iteration) {
  begin();
  end(end_class::preempted);
  again();
  report();
  EXPECT_EQ(saves(), 1u);
  report();
  ASSERT_EQ(saves(), 2u);
  EXPECT_EQ(ports.last<cmd::save>().iteration, 2u);
  save("there");
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::paused);
  EXPECT_EQ(results(), 2u);
  EXPECT_EQ(questions(), 2u);
  EXPECT_EQ(ports.heard<fact::paused>(zero), 1u);
}

TEST_F(lost_pause, is_made_up_for_where_its_verdict_came_after_the_loss) {
  open();
  choose();
  place();
  report();
  end(end_class::preempted);
  decide(pause_trial{});
  again();
  report();

  EXPECT_EQ(saves(), 1u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
}

TEST_F(lost_pause, is_over_once_the_trial_has_paused) {
  begin();
  save("there");
  end(end_class::stopped);
  again();
  report();
  decide(go_on{});

  EXPECT_EQ(saves(), 1u);
  EXPECT_EQ(ports.all<cmd::proceed>().size(), 2u);
}

TEST_F(lost_pause, is_made_up_for_where_what_it_paused_with_was_lost) {
  settings.checkpoints.pause_in_memory = true;
  begin();
  save("memory:there");
  end(end_class::stopped);
  post(on::node_down{"near", "silent"});
  choose();
  place("far");
  report();
  EXPECT_EQ(saves(), 1u);
  report();

  EXPECT_EQ(saves(), 2u);
}

TEST_F(lost_pause, is_forgotten_where_the_trial_fails) {
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  begin();
  end(end_class::user_error);
  again();
  report();
  report();

  EXPECT_EQ(saves(), 1u);
}

TEST_F(lost_pause, is_forgotten_where_its_save_failed) {
  begin();
  auto asked = ports.last<cmd::save>();
  post(on::save_failed{zero, attempt, asked.checkpoint, "disk full"});
  end(end_class::preempted);
  again();
  report();
  report();

  EXPECT_EQ(saves(), 1u);
}

TEST_F(lost_pause, that_has_saved_holds_beyond_the_head) {
  begin();
  post(on::interrupted{"Ctrl-C"});
  save("there");
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::paused);
}

} // namespace
} // namespace tune
