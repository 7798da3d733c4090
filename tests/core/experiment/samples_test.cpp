// The number of wanted configurations, and searchers that have none yet.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"
#include "tune/core/experiment/searcher_wait.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct samples_wanted : support::run_by_hand, testing::Test {
  /// Opens the next head, which wants `limit` samples.
  void reopen(std::uint64_t limit) {
    settings.sample_limit = limit;
    uut->go_by({settings, {}});
    post(on::opened{++epoch, "test", "{}", 1, opening::at_once, on::present_draws});
  }
  [[nodiscard]] std::vector<std::uint64_t> all_in(trial_status status) const {
    std::vector<std::uint64_t> result;
    for (std::uint64_t i = 0; uut->machine().status_of({i}); ++i) {
      if (uut->machine().status_of({i}) == status)
        result.push_back(i);
    }
    return result;
  }
  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> result;
    for (const auto& x : ports.all<cmd::warn>())
      result.push_back(x.text);
    return result;
  }
  std::uint32_t epoch = 1;
};

TEST_F(samples_wanted, are_missed_where_the_search_ends_early) {
  open(1);
  run();
  post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number,
                     exhausted{"samples are missing: 2 were given up"}});

  EXPECT_THAT(warnings(), ElementsAre("samples are missing: 2 were given up"));
}

TEST_F(samples_wanted, are_not_missed_where_all_were_suggested) {
  open(1);
  run();
  post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number,
                     exhausted{"all 1 configurations were suggested"}});

  EXPECT_THAT(warnings(), testing::IsEmpty());
}

TEST_F(samples_wanted, are_fewer_where_the_searcher_ends_the_experiment_and_says_why) {
  open(1);
  run();
  post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number,
                     exhausted{"no more than 0.02 is to be gained"}});
  report();
  end(end_class::finished);

  ASSERT_EQ(ports.all<cmd::finish>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::done);
  EXPECT_EQ(ports.last<cmd::finish>().why, "no more than 0.02 is to be gained");
  post(on::opened{2, "test", "{}", 1, opening::at_once, on::present_draws});
  post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number,
                     exhausted{"all 1 configurations were suggested"}});
  EXPECT_EQ(ports.all<cmd::finish>().size(), 2u);
  EXPECT_EQ(ports.last<cmd::finish>().why, "");
}

TEST_F(samples_wanted, end_at_once_that_arrive_while_all_are_to_end) {
  open(1);
  run();
  ASSERT_EQ(order(on::stop_asked{std::nullopt, "enough"}).what, order_verdict::kind::taken);
  suggest(2);

  EXPECT_THAT(all_in(trial_status::terminated), ElementsAre(1, 2));
  end(end_class::stopped);
  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::stopped);
}

TEST_F(samples_wanted, end_without_a_reason_in_records_of_earlier_heads) {
  make();
  post(on::opened{1, "test", "{}", 1, opening::at_once, on::bounds_model_waits - 1});
  post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number,
                     exhausted{"no more than 0.02 is to be gained"}});

  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::done);
  EXPECT_EQ(ports.last<cmd::finish>().why, "");
}

/// The end that the last head came to.
struct last_end : samples_wanted {
  void stop_all() {
    open(1);
    run();
    report();
    order(on::stop_asked{{}, "stopped by a client"});
    end(end_class::finished);
    ASSERT_EQ(ports.last<cmd::finish>().status, experiment_status::stopped);
  }
  /// Answers the latest question for suggestions: there are none.
  void exhaust() {
    post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number,
                       exhausted{"all 1 configurations were suggested"}});
  }
};

TEST_F(last_end, stays_where_nothing_is_left_to_run) {
  stop_all();

  for (auto heads : {2u, 3u}) {
    post(on::opened{heads, "test", "{}", 1, opening::at_once, on::present_draws});
    exhaust();

    ASSERT_EQ(ports.all<cmd::finish>().size(), heads);
    EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::stopped);
    EXPECT_EQ(ports.last<cmd::finish>().why, "stopped by a client");
  }
}

TEST_F(last_end, is_over_once_something_is_added) {
  stop_all();

  post(on::opened{2, "test", "{}", 1, opening::at_once, on::present_draws});
  suggest(1);
  choose({{1}});
  place({1});
  exhaust();
  end(end_class::finished, {1});

  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::done);
  EXPECT_EQ(ports.last<cmd::finish>().why, "");
}

TEST_F(last_end, was_forgotten_in_records_of_earlier_heads) {
  stop_all();

  post(on::opened{2, "test", "{}", 1, opening::at_once, on::keeps_ends - 1});
  exhaust();

  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::done);
}

TEST_F(last_end, counts_failures_in_a_row_since_the_resume) {
  settings.failures.max_consecutive_failures = 1;
  open(2);
  run();
  end(end_class::user_error, zero, "boom");
  EXPECT_EQ(ports.last<cmd::finish>().why, "the first trial failed: user_error: boom");

  post(on::opened{2, "test", "{}", 1, opening::at_once, on::present_draws});
  choose({{1}});
  place({1});
  end(end_class::user_error, {1}, "boom");

  EXPECT_EQ(ports.last<cmd::finish>().why,
            "since it was resumed, the first trial failed: user_error: boom");
}

TEST(failures_in_a_row, are_alike_whatever_differs_by_chance) {
  for (auto draws : {on::undoes_exploits, on::present_draws}) {
    support::run_by_hand x;
    x.settings.failures.max_consecutive_failures = 2;
    x.make();
    x.post(on::opened{1, "test", "{}", 1, opening::at_once, draws});
    x.suggest(2);
    x.run();
    x.end(end_class::user_error, {0}, "pid 17 at 0x7f3a in r/trials/00000/attempt_1_1\nno");
    x.run({1});
    x.end(end_class::user_error, {1}, "pid 8 at 0x55b0 in r/trials/00001/attempt_1_2\nno");

    auto ends = x.ports.all<cmd::finish>();
    ASSERT_EQ(ends.size(), draws == on::present_draws ? 1u : 0u);
    if (!ends.empty()) {
      EXPECT_EQ(ends.front().why,
                "the first 2 trials all failed alike: user_error: pid 8 at 0x55b0 in "
                "r/trials/00001/attempt_1_2");
    }
  }
}

TEST(failures_in_a_row, are_the_first_only_where_no_others_came_before) {
  for (auto draws : {on::notes_stops_once, on::present_draws}) {
    support::run_by_hand x;
    x.settings.failures.max_consecutive_failures = 2;
    x.make();
    x.post(on::opened{1, "test", "{}", 1, opening::at_once, draws});
    x.suggest(3);
    x.run();
    x.end(end_class::user_error, {0}, "no such file");
    for (std::uint64_t trial : {1, 2}) {
      x.run({trial});
      x.end(end_class::user_error, {trial}, "boom");
    }

    EXPECT_EQ(x.ports.last<cmd::finish>().why,
              (draws == on::present_draws
                   ? "2 trials in a row failed alike: user_error: boom"
                   : "the first 2 trials all failed alike: user_error: boom"));
  }
}

TEST_F(samples_wanted, take_back_what_never_began) {
  open(6);
  choose({{0}, {1}});
  place({0});
  report({0});
  end(end_class::finished, {0});
  place({1});

  reopen(3);

  EXPECT_THAT(all_in(trial_status::terminated), ElementsAre(0, 3, 4, 5));
  EXPECT_THAT(all_in(trial_status::pending), ElementsAre(2));
  EXPECT_EQ(uut->machine().view().withdrawn, 3u);
  EXPECT_EQ(row({4}).reason, "withdrawn before it began: 3 samples are wanted");
  EXPECT_THAT(warnings(), Contains("3 configurations that had not begun are withdrawn: 3 samples "
                                   "are wanted"));
  EXPECT_EQ(ports.heard<fact::ended>({5}), 1u);
}

TEST_F(samples_wanted, are_told_as_configurations_where_each_runs_several_times) {
  settings.repeats.runs = 3;
  open(6);
  reopen(3);

  EXPECT_EQ(row({4}).reason,
            "withdrawn before it began: 1 configuration is wanted, 3 runs of each");
  EXPECT_THAT(warnings(),
              Contains("3 runs that had not begun are withdrawn: 1 configuration is wanted, "
                       "3 runs of each"));
}

TEST_F(samples_wanted, let_those_go_on_that_have_begun) {
  open(3);
  choose({{0}, {1}, {2}});
  for (std::uint64_t i : {0, 1}) {
    place({i});
    report({i});
  }

  reopen(1);

  EXPECT_THAT(all_in(trial_status::running), ElementsAre(0, 1));
  EXPECT_THAT(all_in(trial_status::terminated), ElementsAre(2));
  EXPECT_THAT(warnings(),
              Contains("2 samples have begun, more than the 1 that is wanted now: those that have "
                       "not ended go on"));
  EXPECT_EQ(row({2}).reason, "withdrawn before it began: 1 sample is wanted");
}

TEST_F(samples_wanted, are_not_said_to_go_on_where_all_have_ended) {
  open(2);
  for (std::uint64_t i : {0, 1}) {
    run({i});
    report({i});
    end(end_class::finished, {i});
  }

  reopen(1);

  EXPECT_THAT(warnings(),
              Contains("2 samples have begun, more than the 1 that is wanted now; all have ended"));
}

TEST_F(samples_wanted, were_counted_in_the_plural_in_records_of_earlier_heads) {
  open(2);
  settings.sample_limit = 1;
  uut->go_by({settings, {}});

  post(on::opened{2, "test", "{}", 1, opening::at_once, on::says_lowest - 1});

  EXPECT_EQ(row({1}).reason, "withdrawn before it began: 1 samples are wanted");
}

TEST_F(samples_wanted, bring_back_what_was_withdrawn_before_anything_new) {
  open(6);
  reopen(2);
  ASSERT_THAT(all_in(trial_status::pending), ElementsAre(0, 1));

  reopen(4);

  EXPECT_THAT(all_in(trial_status::pending), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(all_in(trial_status::terminated), ElementsAre(4, 5));
  EXPECT_NE(row({2}).config, nullptr);
}

TEST_F(samples_wanted, leave_alone_what_clients_added) {
  open(2);
  ASSERT_EQ(order(on::add_asked{"mine", std::make_shared<object>(object{{"x", 7}})}).what,
            order_verdict::kind::taken);

  reopen(1);

  EXPECT_THAT(all_in(trial_status::pending), ElementsAre(0, 2));
}

TEST_F(samples_wanted, are_as_they_were_under_a_head_of_before) {
  open(6);
  settings.sample_limit = 2;
  uut->go_by({settings, {}});

  post(on::opened{2, "test", "{}", 1, opening::at_once, on::judged_afresh - 1});

  EXPECT_EQ(all_in(trial_status::pending).size(), 6u);
}

/// The only trial has ended, and the searcher has nothing.
struct idle_searcher : samples_wanted {
  void begin() {
    open(1);
    run();
    report();
    end(end_class::finished);
    // The first question was asked before the end of the trial.
    answer_nothing();
    answer_nothing();
  }
  void answer_nothing() {
    post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number, nothing_yet{}});
  }
  [[nodiscard]] std::size_t asks() const { return ports.all<cmd::ask_searcher>().size(); }
};

TEST_F(idle_searcher, is_asked_again_as_time_goes_by) {
  begin();
  ASSERT_FALSE(uut->machine().is_finished());
  auto before = asks();

  let_pass(1s);
  EXPECT_EQ(asks(), before + 1);
  suggest(1);

  EXPECT_THAT(all_in(trial_status::pending), ElementsAre(1));
}

TEST_F(idle_searcher, is_told_of_within_five_seconds_and_once) {
  begin();
  const auto told = searcher_wait_text(600s);
  EXPECT_TRUE(waits_for_searcher(uut->machine()));
  EXPECT_THAT(told, HasSubstr("stall_timeout (600 s)"));

  let_pass(1s);
  answer_nothing();
  EXPECT_THAT(warnings(), Not(Contains(told)));
  let_pass(2s);
  answer_nothing();
  EXPECT_THAT(warnings(), Contains(told));
  let_pass(4s);
  answer_nothing();
  EXPECT_THAT(warnings(), Contains(told).Times(1));

  let_pass(8s);
  suggest(1);
  EXPECT_FALSE(waits_for_searcher(uut->machine()));
}

TEST_F(idle_searcher, is_not_waited_for_where_a_client_adds_a_trial) {
  begin();
  ASSERT_EQ(order(on::add_asked{"mine", std::make_shared<object>(object{{"x", 7}})}).what,
            order_verdict::kind::taken);

  EXPECT_FALSE(waits_for_searcher(uut->machine()));
}

TEST_F(idle_searcher, ends_the_run_after_its_time) {
  settings.stall_timeout = 20s;
  begin();
  for (auto deadline = uut->machine().next_deadline(); deadline;
       deadline = uut->machine().next_deadline()) {
    let_pass(*deadline - now);
    if (!uut->machine().is_finished())
      answer_nothing();
  }

  EXPECT_EQ(now, 20s);
  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::stalled);
  EXPECT_THAT(ports.last<cmd::finish>().why, HasSubstr("it was asked again for 20 s"));
}

TEST_F(idle_searcher, ends_the_run_at_once_where_it_is_given_no_time) {
  settings.stall_timeout = 0s;
  begin();

  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::stalled);
}

struct training_limit : samples_wanted {
  void report_time(std::chrono::nanoseconds time) {
    auto what = std::make_shared<tune::report>();
    what->trial = zero;
    what->attempt = attempt;
    what->number = ++reports;
    what->iteration = ++iteration;
    what->time_this_iter = time;
    what->metrics = std::make_shared<object>(object{{"loss", 0.5}});
    post(on::reported{what});
    decide(go_on{});
  }
};

TEST_F(training_limit, ends_the_run_by_the_sum_of_all_training) {
  settings.training_limit = 10s;
  open();
  run();
  now = 3600s;
  report_time(6s);
  EXPECT_FALSE(uut->machine().view().draining);

  report_time(4s);

  EXPECT_TRUE(uut->machine().view().draining);
  save();
  end(end_class::stopped);
  EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::time_limit);
  EXPECT_EQ(status(), trial_status::pending);
}

TEST_F(training_limit, is_not_named_where_the_time_limit_ends_a_run_queued_or_not) {
  for (auto was_queued : {false, true}) {
    open();
    run();
    post(on::ticked{on::ticked::due::time_limit, {}, was_queued});
    end(end_class::interrupted);

    ASSERT_EQ(ports.all<cmd::finish>().size(), was_queued ? 2u : 1u);
    EXPECT_EQ(ports.last<cmd::finish>().status, experiment_status::time_limit);
    EXPECT_EQ(ports.last<cmd::finish>().why,
              std::string{"the time limit was reached"}
                  + (was_queued ? "; it was queued at the head all the time" : ""));
  }
}

TEST_F(training_limit, is_over_for_the_next_head_too) {
  settings.training_limit = 10s;
  open();
  run();
  report_time(11s);
  save();
  end(end_class::stopped);
  ASSERT_TRUE(uut->machine().is_finished());

  reopen(0);
  EXPECT_FALSE(uut->machine().is_finished());
  let_pass(0s);

  EXPECT_EQ(ports.all<cmd::finish>().size(), 2u);
  EXPECT_THAT(ports.last<cmd::finish>().why, HasSubstr("training_limit"));
}

/// A value measured by the runtime can be the objective.
struct measured : support::run_by_hand, testing::Test {};

TEST_F(measured, is_one_of_the_metrics_where_trials_are_judged_by_it) {
  settings.objectives = {{"training_iteration", true}};
  open();
  run();
  report();
  report();

  ASSERT_TRUE(uut->machine().view().best);
  EXPECT_EQ(*uut->machine().view().best->at->metrics,
            (object{{"loss", 0.5}, {"training_iteration", 2}}));
  EXPECT_EQ(*ports.last<cmd::trial_progressed>().best->metrics,
            (object{{"loss", 0.5}, {"training_iteration", 2}}));
}

/// A trial that the scheduler stops, and the end that the scheduler hears of.
struct stop_by_scheduler : support::run_by_hand, testing::Test {
  void stop_with(stop how) {
    settings.checkpoints.at_end = true;
    settings.export_time = 5s;
    open();
    run();
    report();
    decide(how);
  }
  [[nodiscard]] fact::end_kind heard() const {
    auto result = fact::end_kind::errored;
    for (const auto& x : ports.all<cmd::tell_scheduler>()) {
      if (const auto* found = std::get_if<fact::ended>(&x.what.what))
        result = found->how;
    }
    return result;
  }
};

TEST_F(stop_by_scheduler, saves_and_exports_at_the_end_of_a_complete_trial) {
  stop_with({.completes = true});

  ASSERT_EQ(ports.all<cmd::save>().size(), 1u);
  EXPECT_TRUE(ports.last<cmd::save>().then_end);
  EXPECT_TRUE(ports.last<cmd::save>().exports);
  save();
  end(end_class::stopped);
  EXPECT_EQ(heard(), fact::end_kind::completed);
  EXPECT_EQ(ports.observed(zero).back().how, outcome::completed);
}

TEST_F(stop_by_scheduler, leaves_nothing_of_one_that_it_gives_up) {
  stop_with({});

  EXPECT_TRUE(ports.all<cmd::save>().empty());
  EXPECT_FALSE(ports.last<cmd::halt>().exports);
  end(end_class::stopped);
  EXPECT_EQ(heard(), fact::end_kind::stopped);
}

TEST_F(idle_searcher, is_waited_for_while_it_owes_an_answer_and_no_trial_is_left) {
  open(1);
  EXPECT_FALSE(waits_for_answer(uut->machine()));

  run();
  report();
  end(end_class::finished);
  EXPECT_TRUE(waits_for_answer(uut->machine()));

  answer_nothing();
  answer_nothing();
  EXPECT_FALSE(waits_for_answer(uut->machine()));
}

TEST_F(idle_searcher, is_told_of_by_what_it_is) {
  searcher_traits outside;
  outside.recomputes = false;

  EXPECT_THAT(answer_wait_text(outside), HasSubstr("answer_timeout"));
  EXPECT_THAT(answer_wait_text({}), HasSubstr("it thinks its suggestion over"));
}

/// An experiment with `[search] type = none`.
struct no_searcher : idle_searcher {
  searcher_traits none;

  no_searcher() { none.ahead = 0; }
};

TEST_F(no_searcher, waits_for_clients_where_no_trial_is_left) {
  begin();

  EXPECT_TRUE(waits_for_clients(uut->machine(), none));
  EXPECT_FALSE(waits_for_clients(uut->machine(), searcher_traits{}));
  ASSERT_EQ(order(on::add_asked{"mine", std::make_shared<object>(object{{"x", 7}})}).what,
            order_verdict::kind::taken);
  EXPECT_FALSE(waits_for_clients(uut->machine(), none));
}

TEST_F(no_searcher, does_not_wait_for_clients_before_it_was_heard) {
  open(1);

  EXPECT_FALSE(waits_for_clients(uut->machine(), none));
}

} // namespace
} // namespace tune
