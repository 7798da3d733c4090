// Configurations that change between the attempts of a trial.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tune {
namespace {

/// Trial 0 runs with x = 1; after its first report it is to pause, and go on with x = 2.
struct reconfiguring : testing::Test, support::run_by_hand {
  void change() {
    open();
    run();
    report();
    decide_change();
  }
  void decide_change() {
    std::vector<action> what{{zero, reconfigure{config(2)}, {}}, {zero, pause_trial{}, {}}};
    post(on::decided{{{ports.all<cmd::judge>().back().cause, what}}});
  }
  [[nodiscard]] static config_ptr config(std::int64_t x) {
    return std::make_shared<const object>(object{{"x", x}});
  }
  [[nodiscard]] object recorded() const { return *ports.last<cmd::attempt_changed>().config; }
};

TEST_F(reconfiguring, changes_the_trial_at_once_and_its_next_attempt) {
  change();
  EXPECT_EQ(*row().config, *config(2));
  save();
  end(end_class::paused);
  post(on::unpause_asked{zero});
  run();

  EXPECT_EQ(*launched().config, *config(2));
  EXPECT_EQ(recorded(), *config(2));
}

TEST_F(reconfiguring, leaves_in_the_record_what_an_attempt_ran_with) {
  change();
  save();
  end(end_class::paused);

  EXPECT_EQ(recorded(), *config(1));
}

TEST_F(reconfiguring, leaves_steps_before_the_change_as_they_were) {
  change();
  end(end_class::preempted);
  run();
  EXPECT_EQ(*launched().config, *config(1));
  EXPECT_EQ(*row().config, *config(2));
  report();
  save();
  end(end_class::paused);
  EXPECT_EQ(status(), trial_status::paused);
  run();

  EXPECT_EQ(launched().iteration, 1u);
  EXPECT_EQ(*launched().config, *config(2));
}

TEST_F(reconfiguring, leaves_them_so_where_the_verdict_came_after_the_loss) {
  open();
  run();
  report();
  end(end_class::preempted);
  decide_change();
  run();
  EXPECT_EQ(*launched().config, *config(1));
  report();

  EXPECT_TRUE(ports.last<cmd::save>().then_end);
}

TEST_F(reconfiguring, leaves_them_so_where_the_trial_fails) {
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 1;
  change();
  end(end_class::user_error);
  run();
  EXPECT_EQ(*launched().config, *config(1));
  report();

  EXPECT_TRUE(ports.last<cmd::save>().then_end);
}

TEST_F(reconfiguring, holds_from_the_next_attempt_on_where_the_trial_is_not_to_pause) {
  open();
  run();
  report();
  decide(reconfigure{config(2)});
  end(end_class::preempted);
  run();

  EXPECT_EQ(*launched().config, *config(2));
}

TEST_F(reconfiguring, holds_from_the_next_attempt_on_where_its_pause_failed) {
  change();
  post(on::save_failed{zero, attempt, ports.last<cmd::save>().checkpoint, "no room"});
  end(end_class::preempted);
  run();

  EXPECT_EQ(*launched().config, *config(2));
}

TEST_F(reconfiguring, takes_the_best_configuration_to_be_that_of_the_report) {
  change();
  // The pause fails: the trial runs on with its old configuration and improves.
  post(on::save_failed{zero, attempt, ports.last<cmd::save>().checkpoint, "no room"});
  report(zero, 0.1);

  auto best = uut->machine().view().best;
  ASSERT_TRUE(best);
  EXPECT_EQ(*best->at->metrics, (object{{"loss", 0.1}}));
  EXPECT_EQ(*best->config, *config(1));
  EXPECT_EQ(*ports.observed(zero).back().config, *config(1));
}

} // namespace
} // namespace tune
