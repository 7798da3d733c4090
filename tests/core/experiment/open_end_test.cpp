// Trials that end while no attempt of theirs can make the export.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct open_end : support::run_by_hand, testing::Test {
  open_end() {
    settings.export_time = std::chrono::seconds{60};
    settings.exports = {"model"};
  }
  void pause(int reports_before = 1) {
    open();
    run();
    for (int i = 0; i < reports_before; ++i)
      report();
    order(on::pause_asked{zero});
    decide(go_on{});
    save();
    end(end_class::paused);
    ASSERT_EQ(status(), trial_status::paused);
  }
  void stop_by_client() { post(on::stop_asked{zero, "stopped by a client"}); }
  void exported() {
    post(on::exported{zero, attempt, "there/1", 7, {{"model", "there/1/model", ""}}});
  }
  /// The record's entries about exports that nobody could make: format and reason.
  [[nodiscard]] std::vector<std::string> lost() const {
    std::vector<std::string> result;
    for (const auto& x : ports.log) {
      const auto* said = std::get_if<on::exported>(&x.what);
      if (said != nullptr && !said->attempt)
        result.push_back(said->formats.front().format + ": " + said->formats.front().why);
    }
    return result;
  }
};

TEST_F(open_end, of_a_paused_trial_is_made_by_an_attempt_that_only_exports) {
  pause();
  stop_by_client();

  EXPECT_EQ(status(), trial_status::pending);
  EXPECT_EQ(ports.heard<fact::ended>(zero), 1u);
  place();
  EXPECT_TRUE(launched().ends);
  EXPECT_EQ(launched().iteration, 1u);
  EXPECT_TRUE(ports.last<cmd::halt>().exports);
  exported();
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(row().reason, "stopped by a client");
  EXPECT_THAT(lost(), ElementsAre());
  EXPECT_EQ(ports.heard<fact::ended>(zero), 1u);
  EXPECT_EQ(ports.heard<fact::started>(zero), 1u);
}

TEST_F(open_end, is_that_of_a_trial_whose_scheduler_lets_it_complete_while_it_is_paused) {
  open();
  run();
  report();
  auto cause = ports.all<cmd::judge>().back().cause;
  order(on::pause_asked{zero});
  save();
  end(end_class::paused);
  post(on::decided{{{cause, {{zero, stop{.completes = true}, {{"why", "the bracket is over"}}}}}}});
  place();
  exported();
  end(end_class::finished);

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(row().reason, "the bracket is over");
}

TEST_F(open_end, is_none_of_a_paused_trial_that_its_scheduler_gives_up) {
  open();
  run();
  report();
  auto cause = ports.all<cmd::judge>().back().cause;
  order(on::pause_asked{zero});
  save();
  end(end_class::paused);
  post(on::decided{{{cause, {{zero, stop{}, {}}}}}});

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_THAT(lost(), ElementsAre());
}

TEST_F(open_end, does_not_count_what_the_attempt_reports) {
  pause();
  stop_by_client();
  place();
  report(zero, 0.1);
  exported();
  end(end_class::stopped);

  EXPECT_EQ(row().last->iteration, 1u);
  EXPECT_EQ(row().best->iteration, 1u);
}

TEST_F(open_end, takes_a_checkpoint_once_that_comes_unasked_meanwhile) {
  pause();
  stop_by_client();
  place();
  on::saved unasked{zero, attempt, {}, 2, {}, "there/unasked", 1};
  post(unasked);
  auto events = ports.log.size();
  post(unasked);

  EXPECT_EQ(ports.log.size(), events);
}

TEST_F(open_end, survives_the_head) {
  open();
  run();
  report();
  order(on::pause_asked{});
  post(on::unpause_asked{});
  decide(tune::save{});
  save();
  stop_by_client();
  // The head is lost during the export.
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::present_draws});
  end(end_class::interrupted);

  EXPECT_EQ(status(), trial_status::pending);
  place();
  EXPECT_EQ(launched().from.number, 1u);
  EXPECT_TRUE(ports.last<cmd::halt>().exports);
  exported();
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(open_end, trains_once_more_up_to_where_the_trial_ended) {
  open();
  run();
  report();
  decide(tune::save{});
  save();
  report();
  decide(go_on{});
  report();
  stop_by_client();
  end(end_class::node_lost);
  place();

  EXPECT_FALSE(launched().ends);
  EXPECT_EQ(iteration, 1u);
  auto halts = ports.all<cmd::halt>().size();
  report();
  EXPECT_EQ(ports.all<cmd::halt>().size(), halts);
  EXPECT_EQ(ports.last<cmd::proceed>().number, 1u);
  report();
  EXPECT_TRUE(ports.last<cmd::halt>().exports);
  exported();
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(row().last->iteration, 3u);
}

TEST_F(open_end, writes_the_last_checkpoint_too) {
  settings.checkpoints.at_end = true;
  open();
  run();
  report();
  decide(tune::save{});
  save();
  report(zero, 0.5, true);
  ASSERT_TRUE(ports.last<cmd::save>().then_end);
  end(end_class::node_lost);
  place();
  report();

  EXPECT_TRUE(ports.last<cmd::save>().then_end);
  EXPECT_EQ(ports.last<cmd::save>().iteration, 2u);
  save();
  exported();
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(ports.actions().back(), "exported");
}

TEST_F(open_end, is_told_to_be_lost_where_there_is_no_checkpoint) {
  open();
  run();
  report();
  stop_by_client();
  end(end_class::node_lost);

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_THAT(lost(), ElementsAre(HasSubstr("model: the trial has no checkpoint")));
  EXPECT_EQ(ports.actions().back(), "export_failed");
}

TEST_F(open_end, is_told_to_be_lost_where_the_attempt_that_was_to_make_it_fails) {
  pause();
  stop_by_client();
  place();
  end(end_class::user_error, zero, "boom");

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_THAT(lost(), ElementsAre("model: the attempt that was to make it ended as user_error:"
                                  " boom"));
}

TEST_F(open_end, is_that_of_a_trial_that_was_told_to_pause_when_it_was_to_end) {
  open();
  run();
  report();
  order(on::pause_asked{zero});
  decide(go_on{});
  ASSERT_FALSE(ports.last<cmd::save>().exports);
  stop_by_client();
  save();
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::pending);
  place();
  EXPECT_TRUE(launched().ends);
}

TEST_F(open_end, is_told_to_be_lost_where_a_trial_is_killed_before_it_says_a_word_of_it) {
  open();
  run();
  report();
  stop_by_client();
  end(end_class::killed, zero, "the trainable went away");

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_THAT(lost(), ElementsAre(HasSubstr("killed: the trainable went away")));
}

TEST_F(open_end, is_told_to_be_lost_where_a_client_stops_the_trial_again) {
  pause();
  stop_by_client();
  EXPECT_EQ(order(on::stop_asked{zero, "at once"}).what, order_verdict::kind::taken);

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_THAT(lost(), ElementsAre("model: at once"));
}

TEST_F(open_end, is_told_to_be_lost_where_the_experiment_is_stopped_before) {
  pause();
  stop_by_client();
  post(on::stop_asked{std::nullopt, "all of it"});

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_THAT(lost(), ElementsAre("model: all of it"));
  EXPECT_TRUE(uut->machine().is_finished());
}

TEST_F(open_end, waits_for_the_next_head_where_this_one_leaves_off) {
  pause();
  stop_by_client();
  post(on::interrupted{"Ctrl-C"});
  ASSERT_TRUE(uut->machine().is_finished());
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::present_draws});
  place();
  exported();
  end(end_class::stopped);

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_THAT(lost(), ElementsAre());
}

TEST_F(open_end, takes_its_turn_where_only_so_many_may_run) {
  settings.max_concurrent = 1;
  open(2);
  run();
  report();
  order(on::pause_asked{zero});
  decide(go_on{});
  save();
  end(end_class::paused);
  auto first = attempt;
  run(trial_id{1});
  auto places = ports.all<cmd::place>().size();
  stop_by_client();
  EXPECT_EQ(ports.all<cmd::place>().size(), places);
  ASSERT_NE(attempt, first);
  end(end_class::finished, trial_id{1});

  EXPECT_EQ(ports.last<cmd::place>().trial, zero);
}

TEST_F(open_end, cannot_be_paused) {
  pause();
  stop_by_client();

  EXPECT_EQ(order(on::pause_asked{zero}).what, order_verdict::kind::refused);
  EXPECT_EQ(order(on::unpause_asked{zero}).what, order_verdict::kind::needless);
}

TEST_F(open_end, is_none_under_a_head_of_an_earlier_version) {
  make();
  post(on::opened{1, "test", "{}", 1, opening::at_once, on::judged_afresh});
  suggest(1);
  run();
  report();
  order(on::pause_asked{zero});
  decide(go_on{});
  save();
  end(end_class::paused);
  stop_by_client();

  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(open_end, is_whole_without_memory_where_trials_end_with_a_checkpoint) {
  settings.checkpoints.at_end = true;
  settings.checkpoints.pause_in_memory = true;
  open();
  run();
  report();
  order(on::pause_asked{zero});
  decide(go_on{});

  EXPECT_FALSE(ports.last<cmd::save>().in_memory);
}

} // namespace
} // namespace tune
