// Failures of attempts and their retries, and what waits while a checkpoint is written.
// SPDX-License-Identifier: BSD-3-Clause
#include "one_trial.hpp"

namespace tune {
namespace {

using namespace std::chrono_literals;

std::size_t index_of(end_class x) {
  return static_cast<std::size_t>(x);
}

// -- Budgets.

struct failing : samples::one_trial {
  failing() {
    settings.failures.budget = {};
    settings.failures.max_consecutive_failures = 0;
  }
  /// Runs the next attempt, which ends with `how`.
  void fail(end_class how) {
    choose();
    place();
    end(how, "why");
  }
};

struct any_failure : failing, testing::WithParamInterface<end_class> {};

TEST_P(any_failure, is_forgiven_as_often_as_its_own_budget_says) {
  settings.failures.budget[index_of(GetParam())] = 2;
  open();

  fail(GetParam());
  EXPECT_EQ(status(), trial_status::pending);
  fail(GetParam());
  EXPECT_EQ(status(), trial_status::pending);
  fail(GetParam());
  EXPECT_EQ(status(), trial_status::errored);
  EXPECT_EQ(ports.last<cmd::trial_changed>().reason, to_text(GetParam()));
}

TEST_P(any_failure, uses_up_the_budget_of_no_other) {
  for (auto other : {end_class::user_error, end_class::timeout, end_class::out_of_memory,
                     end_class::killed, end_class::node_lost})
    settings.failures.budget[index_of(other)] = 1;
  open();

  for (auto other : {end_class::user_error, end_class::timeout, end_class::out_of_memory,
                     end_class::killed, end_class::node_lost}) {
    if (other != GetParam())
      fail(other);
  }
  EXPECT_EQ(status(), trial_status::pending);
  fail(GetParam());
  EXPECT_EQ(status(), trial_status::pending);
  fail(GetParam());
  EXPECT_EQ(status(), trial_status::errored);
}

INSTANTIATE_TEST_SUITE_P(experiment, any_failure,
                         testing::Values(end_class::user_error, end_class::timeout,
                                         end_class::out_of_memory, end_class::killed,
                                         end_class::node_lost),
                         [](const auto& x) { return std::string{to_text(x.param)}; });

TEST_F(failing, by_preemption_and_restarts_of_the_head_is_always_forgiven) {
  settings.failures = failure_policy{};
  open();
  for (int i = 0; i < 20; ++i) {
    fail(end_class::preempted);
    ASSERT_EQ(status(), trial_status::pending) << i;
    fail(end_class::interrupted);
    ASSERT_EQ(status(), trial_status::pending) << i;
  }
  EXPECT_EQ(ports.last<cmd::trial_changed>().failures, 0u);
}

TEST_F(failing, fast_leaves_everything_to_be_gone_on_with) {
  settings.failures.fail_fast = true;
  settings.failures.budget[index_of(end_class::user_error)] = 5;
  open();
  post(on::add_asked{"", std::make_shared<object>(object{{"x", 2}})});

  fail(end_class::user_error);

  EXPECT_EQ(status(), trial_status::errored);
  EXPECT_EQ(uut->machine().status_of({1}), trial_status::pending);
  ASSERT_EQ(ports.all<cmd::finish>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::failed);
  // The next head goes on with the other trial.
  post(on::opened{2, "test", "{}", 1});
  EXPECT_FALSE(uut->machine().is_finished());
  post(on::chosen{{ports.last<cmd::choose>().at, {{1}}}});
  EXPECT_EQ(ports.last<cmd::place>().trial, trial_id{1});
}

// -- While a checkpoint is written.

struct saving : samples::one_trial {
  /// The second report is judged while the checkpoint of the first is still being written.
  void report_while_it_saves() {
    settings.stop_grace = 10s;
    open();
    choose();
    place();
    report();
    decide(tune::save{});
    ASSERT_EQ(ports.all<cmd::save>().size(), 1u);
  }
};

TEST_F(saving, parks_a_stop_until_the_checkpoint_is_safe) {
  report_while_it_saves();
  post(on::stop_asked{zero, "enough"});
  EXPECT_TRUE(ports.all<cmd::halt>().empty());

  save("there");

  ASSERT_EQ(ports.all<cmd::halt>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::stop);
}

TEST_F(saving, parks_a_pause_until_the_checkpoint_is_safe) {
  report_while_it_saves();
  post(on::pause_asked{zero});
  EXPECT_EQ(ports.all<cmd::save>().size(), 1u);

  save("there");
  report();
  decide(go_on{});

  ASSERT_EQ(ports.all<cmd::save>().size(), 2u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
}

TEST_F(saving, parks_a_pause_at_a_report_that_came_meanwhile) {
  report_while_it_saves();
  report();
  decide(go_on{});
  report();
  post(on::pause_asked{zero});
  decide(go_on{});
  EXPECT_EQ(ports.all<cmd::save>().size(), 1u);

  save("there");

  ASSERT_EQ(ports.all<cmd::save>().size(), 2u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
}

TEST_F(saving, never_lets_a_lesser_decision_take_the_place_of_a_parked_one) {
  report_while_it_saves();
  post(on::stop_asked{zero, "enough"});
  report();
  post(on::pause_asked{zero});
  save("there");

  EXPECT_EQ(ports.all<cmd::save>().size(), 1u);
  ASSERT_EQ(ports.all<cmd::halt>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::stop);
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(saving, keeps_a_parked_pause_when_the_save_fails) {
  report_while_it_saves();
  post(on::pause_asked{zero});
  auto asked = ports.last<cmd::save>();
  post(on::save_failed{zero, attempt, asked.checkpoint, "disk full"});
  report();
  decide(go_on{});

  ASSERT_EQ(ports.all<cmd::save>().size(), 2u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
}

TEST_F(saving, is_warned_of_once_where_it_fails) {
  report_while_it_saves();
  auto asked = ports.last<cmd::save>();
  post(on::save_failed{zero, attempt, asked.checkpoint, "it holds too much"});

  ASSERT_EQ(ports.all<cmd::warn>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::warn>().text,
            "trial 00000: a checkpoint that it was asked for is not kept: it holds too much");
  post(on::save_failed{zero, attempt, asked.checkpoint, "it holds too much"});
  EXPECT_EQ(ports.all<cmd::warn>().size(), 1u);
}

struct due_at_end : samples::one_trial {
  due_at_end() { settings.checkpoints.frequency = 2; }
  void begin() {
    open();
    choose();
    place();
    report();
    decide(go_on{});
  }
  [[nodiscard]] std::size_t saves() const { return ports.all<cmd::save>().size(); }
};

TEST_F(due_at_end, is_saved_first_where_it_completes) {
  begin();
  report(zero, 0.5, true);

  ASSERT_EQ(saves(), 1u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
  EXPECT_EQ(ports.last<cmd::save>().iteration, 2u);
  save("there");
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(due_at_end, is_saved_first_where_its_scheduler_says_that_it_is_complete) {
  begin();
  report();
  decide(tune::stop{.completes = true});

  ASSERT_EQ(saves(), 1u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
}

TEST_F(due_at_end, is_not_saved_where_nothing_is_due) {
  begin();
  report();
  decide(go_on{});
  save("there");
  report(zero, 0.5, true);

  EXPECT_EQ(saves(), 1u);
  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::stop);
}

TEST_F(due_at_end, cannot_be_saved_where_the_program_just_ends_which_is_warned_of) {
  settings.checkpoints = {};
  settings.checkpoints.at_end = true;
  open();
  choose();
  place();
  report();

  end(end_class::finished);

  ASSERT_EQ(ports.all<cmd::warn>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::warn>().text,
            "trial 00000 ended by itself after its last report, so that [checkpoint] at_end saved "
            "nothing: a trial is saved that [stop] ends, or whose last report says \"done\": true; "
            "this is said once");
}

TEST_F(due_at_end, is_not_saved_where_its_scheduler_gives_it_up) {
  begin();
  report();
  decide(tune::stop{});

  EXPECT_EQ(saves(), 0u);
  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::stop);
}

TEST_F(due_at_end, is_not_saved_under_a_head_of_an_earlier_version) {
  make();
  post(on::opened{1, "test", "{}", 1, opening::at_once, on::ends_whole});
  suggest(1);
  choose();
  place();
  report();
  decide(go_on{});
  report(zero, 0.5, true);

  EXPECT_EQ(saves(), 0u);
}

TEST_F(due_at_end, is_saved_once_more_where_its_node_is_lost_meanwhile) {
  begin();
  report();
  decide(go_on{});
  save("there");
  report();
  decide(go_on{});
  report(zero, 0.5, true);
  ASSERT_EQ(saves(), 2u);
  end(end_class::node_lost);

  EXPECT_EQ(status(), trial_status::pending);
  place();
  report();
  report();
  EXPECT_EQ(saves(), 3u);
  EXPECT_EQ(ports.last<cmd::save>().iteration, 4u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
}

TEST_F(saving, that_hangs_does_not_hold_up_a_clients_stop) {
  report_while_it_saves();
  post(on::stop_asked{zero, "enough"});
  EXPECT_TRUE(ports.all<cmd::halt>().empty());
  EXPECT_EQ(order(on::stop_asked{zero, "enough"}).what, order_verdict::kind::needless);
  let_pass(settings.stop_grace);

  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::kill);
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::terminated);
}

// -- A node that does not end an attempt as told.

using killing = saving;

TEST_F(killing, is_waited_for_no_longer_than_a_time_by_a_client_that_stops) {
  settings.kill_time = 25s;
  report_while_it_saves();
  post(on::stop_asked{zero, "enough"});
  let_pass(settings.stop_grace);
  ASSERT_EQ(ports.last<cmd::halt>().how, halt_mode::kill);
  EXPECT_EQ(status(), trial_status::running);
  let_pass(settings.kill_time);

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(ports.last<cmd::attempt_changed>().how, end_class::node_lost);
  EXPECT_EQ(ports.last<cmd::attempt_changed>().detail,
            "node near did not end it within 25 s, and may be stuck; it was given up there");
  end(end_class::killed); // too late
  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(killing, holds_up_no_head_that_leaves_off) {
  settings.kill_time = 25s;
  report_while_it_saves();
  post(on::interrupted{"ctrl-c"});
  let_pass(settings.stop_grace);
  EXPECT_TRUE(ports.all<cmd::finish>().empty());
  let_pass(settings.kill_time);

  ASSERT_EQ(ports.all<cmd::finish>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::interrupted);
  EXPECT_EQ(ports.last<cmd::attempt_changed>().how, end_class::interrupted);
}

TEST_F(killing, takes_as_long_as_it_takes_where_there_is_no_time) {
  report_while_it_saves();
  post(on::interrupted{"ctrl-c"});
  let_pass(settings.stop_grace);
  let_pass(std::chrono::hours{1});

  EXPECT_TRUE(ports.all<cmd::finish>().empty());
}

TEST_F(saving, that_hangs_at_the_end_of_a_trial_ends_when_somebody_asks) {
  settings.checkpoints.at_end = true;
  open();
  choose();
  place();
  report(zero, 0.5, true);
  ASSERT_EQ(ports.all<cmd::save>().size(), 1u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
  // Writing a large checkpoint may take long.
  let_pass(std::chrono::hours{1});
  EXPECT_TRUE(ports.all<cmd::halt>().empty());

  EXPECT_EQ(order(on::stop_asked{zero, "enough"}).what, order_verdict::kind::taken);
  let_pass(settings.stop_grace);
  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::kill);
}

TEST_F(saving, that_hangs_does_not_hold_up_a_head_that_leaves_off) {
  settings.checkpoints.at_end = true;
  for (auto wanted :
       {event_body{on::interrupted{"ctrl-c"}}, event_body{on::stop_asked{{}, "all"}}}) {
    ports = {};
    open();
    choose();
    place();
    report(zero, 0.5, true);
    post(wanted);
    EXPECT_TRUE(ports.all<cmd::halt>().empty());
    let_pass(settings.stop_grace);

    ASSERT_EQ(ports.all<cmd::halt>().size(), 1u);
    EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::kill);
  }
}

TEST_F(saving, has_all_the_time_it_takes_without_a_limit) {
  settings.stop_grace = 0s;
  for (auto wanted :
       {event_body{on::interrupted{"ctrl-c"}}, event_body{on::stop_asked{zero, "x"}}}) {
    ports = {};
    open();
    choose();
    place();
    report();
    decide(tune::save{});
    post(wanted);
    let_pass(std::chrono::hours{24});

    EXPECT_TRUE(ports.all<cmd::halt>().empty());
  }
}

TEST_F(saving, that_hangs_is_ended_by_the_progress_timeout) {
  settings.failures.progress_timeout = 30s;
  report_while_it_saves();
  let_pass(30s);

  ASSERT_EQ(ports.all<cmd::halt>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::kill);
  end(end_class::killed);
  EXPECT_EQ(ports.last<cmd::trial_changed>().reason, "timeout");
}

TEST_F(saving, leaves_exports_to_their_own_limit) {
  settings.failures.progress_timeout = 30s;
  report_while_it_saves();
  post(on::started{zero, attempt, 7, true});

  let_pass(100s);

  EXPECT_TRUE(ports.all<cmd::halt>().empty());
}

TEST_F(saving, that_hangs_at_the_restore_is_ended_by_the_progress_timeout) {
  settings.failures.progress_timeout = 30s;
  settings.failures.budget[index_of(end_class::user_error)] = 1;
  report_while_it_saves();
  save("there");
  end(end_class::user_error, "boom");
  choose();
  place();
  EXPECT_EQ(ports.last<cmd::launch>().from_location, "there");
  let_pass(30s);

  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::kill);
}

} // namespace
} // namespace tune
