// Clients' wishes for a running experiment: the answers to them, and their effects.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_by_hand.hpp"
#include "support/toy_scheduler.hpp"
#include "support/world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace tune {
namespace {

using support::world;
using support::world_options;
using kind = order_verdict::kind;

struct clients : testing::Test, support::run_by_hand {
  /// States of a trial in which a client's wish may find it.
  enum class state {
    pending,
    chosen,
    restoring,
    stepping,
    reported,
    saving,
    paused,
    ended,
    failed
  };
  static constexpr state all_states[]
      = {state::pending, state::chosen, state::restoring, state::stepping, state::reported,
         state::saving,  state::paused, state::ended,     state::failed};
  void bring_to(state where) {
    open();
    if (where == state::pending)
      return;
    choose();
    if (where == state::chosen)
      return;
    if (where == state::restoring) {
      attempt = uut->machine().next_attempt();
      return post(on::placed{zero, attempt, lease{{++leases}, {{"here", {}, {}}}}});
    }
    place();
    if (where == state::stepping)
      return;
    if (where == state::failed)
      return end(end_class::user_error);
    report();
    if (where == state::reported)
      return;
    if (where == state::ended)
      return end(end_class::finished);
    decide(pause_trial{});
    if (where == state::saving)
      return;
    save();
    end(end_class::stopped);
  }
};

/// The verdict on `wish` in some state, and the trial's status right afterwards.
struct expectation {
  kind says;
  trial_status then;
};

void expect_everywhere(const event_body& wish, const std::map<int, expectation>& wanted) {
  for (auto where : clients::all_states) {
    struct probe : clients {
      void TestBody() override {}
    } at;
    at.bring_to(where);

    auto told = at.order(wish);

    auto& x = wanted.at(static_cast<int>(where));
    EXPECT_EQ(to_text(told.what), to_text(x.says)) << static_cast<int>(where) << ' ' << told.text;
    EXPECT_EQ(to_text(at.status()), to_text(x.then)) << static_cast<int>(where);
    EXPECT_EQ(told.trial, clients::zero);
    // A wish that is not taken leaves no trace in the log.
    EXPECT_EQ(at.ports.log.back().what.index() == wish.index()
                  || at.ports.log[at.ports.log.size() - 2].what.index() == wish.index(),
              x.says == kind::taken)
        << static_cast<int>(where);
  }
}

using enum trial_status;

TEST(client_orders, stop_is_answered_in_every_state) {
  expect_everywhere(on::stop_asked{trial_id{0}, "client"}, {{0, {kind::taken, terminated}},
                                                            {1, {kind::taken, terminated}},
                                                            {2, {kind::taken, running}},
                                                            {3, {kind::taken, running}},
                                                            {4, {kind::taken, running}},
                                                            {5, {kind::taken, running}},
                                                            {6, {kind::taken, terminated}},
                                                            {7, {kind::needless, terminated}},
                                                            {8, {kind::needless, errored}}});
}

TEST(client_orders, pause_is_answered_in_every_state) {
  expect_everywhere(on::pause_asked{trial_id{0}}, {{0, {kind::taken, pending}},
                                                   {1, {kind::taken, pending}},
                                                   {2, {kind::taken, running}},
                                                   {3, {kind::taken, running}},
                                                   {4, {kind::taken, running}},
                                                   {5, {kind::taken, running}},
                                                   {6, {kind::taken, paused}},
                                                   {7, {kind::refused, terminated}},
                                                   {8, {kind::refused, errored}}});
}

TEST(client_orders, unpause_is_answered_in_every_state) {
  expect_everywhere(on::unpause_asked{trial_id{0}}, {{0, {kind::needless, pending}},
                                                     {1, {kind::needless, pending}},
                                                     {2, {kind::needless, running}},
                                                     {3, {kind::needless, running}},
                                                     {4, {kind::needless, running}},
                                                     {5, {kind::needless, running}},
                                                     {6, {kind::taken, pending}},
                                                     {7, {kind::refused, terminated}},
                                                     {8, {kind::refused, errored}}});
}

TEST(client_orders, retry_is_answered_in_every_state) {
  on::retry_asked wish{trial_id{0}, std::make_shared<object>(object{{"x", 1}}), "test", false};
  expect_everywhere(wish, {{0, {kind::refused, pending}},
                           {1, {kind::refused, pending}},
                           {2, {kind::refused, running}},
                           {3, {kind::refused, running}},
                           {4, {kind::refused, running}},
                           {5, {kind::refused, running}},
                           {6, {kind::refused, paused}},
                           {7, {kind::taken, pending}},
                           {8, {kind::taken, pending}}});
}

TEST_F(clients, are_told_where_there_is_no_such_trial) {
  open();

  EXPECT_EQ(order(on::stop_asked{trial_id{9}, ""}).what, kind::unknown);
  EXPECT_EQ(order(on::pause_asked{trial_id{9}}).what, kind::unknown);
  EXPECT_EQ(order(on::unpause_asked{trial_id{9}}).what, kind::unknown);
  EXPECT_EQ(order(on::retry_asked{{9}, nullptr, "", false}).what, kind::unknown);
}

TEST_F(clients, hear_whether_a_trial_that_is_to_pause_has_paused) {
  bring_to(state::stepping);
  EXPECT_EQ(order(on::pause_asked{zero}).what, kind::taken);

  EXPECT_EQ(order(on::pause_asked{zero}).text, "it is pausing already");
}

TEST_F(clients, cannot_post_what_is_not_theirs) {
  open();

  EXPECT_EQ(order(on::interrupted{"me"}).what, kind::refused);
  EXPECT_EQ(order(on::gathered{}).what, kind::refused);
}

TEST_F(clients, retry_tells_the_scheduler_whether_the_trial_begins_from_scratch) {
  bring_to(state::ended);
  on::retry_asked wish{zero, std::make_shared<object>(object{{"x", 1}}), "test", false};
  auto told = [&] {
    std::optional<fact::added> result;
    for (const auto& x : ports.all<cmd::tell_scheduler>()) {
      if (const auto* found = std::get_if<fact::added>(&x.what.what))
        result = *found;
    }
    return result;
  };

  order(wish);
  EXPECT_TRUE(told()->again);
  EXPECT_FALSE(told()->from_scratch);
  order(on::stop_asked{zero, "client"});
  wish.from_scratch = true;
  order(wish);

  EXPECT_TRUE(told()->again);
  EXPECT_TRUE(told()->from_scratch);
}

TEST_F(clients, stop_ends_a_waiting_trial_as_removed_and_tells_both_rules) {
  bring_to(state::chosen);

  order(on::stop_asked{zero, "client"});

  EXPECT_EQ(ports.all<cmd::cancel_place>().size(), 1u);
  EXPECT_EQ(ports.heard<fact::ended>(zero), 1u);
  auto told = std::get<observation>(ports.all<cmd::tell_searcher>().back().what.what);
  EXPECT_EQ(told.how, outcome::removed);
}

TEST_F(clients, stop_of_a_running_trial_awaits_its_last_result_for_a_bounded_time) {
  bring_to(state::stepping);

  order(on::stop_asked{zero, "client"});
  EXPECT_EQ(ports.all<cmd::halt>().back().how, halt_mode::stop);
  ASSERT_TRUE(uut->machine().next_deadline());
  report();
  end(end_class::stopped);

  EXPECT_EQ(status(), terminated);
  auto told = std::get<observation>(ports.all<cmd::tell_searcher>().back().what.what);
  EXPECT_EQ(told.how, outcome::completed);
  EXPECT_EQ(told.fidelity, 1u);
}

TEST_F(clients, A2_4_stop_of_a_trial_drops_the_decision_that_is_awaited) {
  bring_to(state::reported);
  auto asked = ports.all<cmd::judge>().back().cause;

  order(on::stop_asked{zero, "client"});
  post(on::decided{{{asked, {{zero, go_on{}, {}}}}}});
  end(end_class::stopped);

  EXPECT_EQ(ports.all<cmd::proceed>().size(), 0u);
  EXPECT_EQ(status(), terminated);
}

TEST_F(clients, A2_3_pause_of_a_trial_drops_the_decision_that_is_awaited) {
  bring_to(state::reported);
  auto asked = ports.all<cmd::judge>().back().cause;

  order(on::pause_asked{zero});
  post(on::decided{{{asked, {{zero, go_on{}, {}}}}}});
  save();
  end(end_class::stopped);

  EXPECT_EQ(ports.all<cmd::proceed>().size(), 0u);
  EXPECT_EQ(status(), paused);
}

TEST_F(clients, stop_beats_a_pause_under_way) {
  bring_to(state::saving);

  EXPECT_EQ(order(on::stop_asked{zero, "client"}).what, kind::taken);
  EXPECT_EQ(order(on::pause_asked{zero}).what, kind::refused);
  save();
  end(end_class::stopped);

  EXPECT_EQ(status(), terminated);
}

TEST_F(clients, stop_twice_is_told_and_recorded_once) {
  bring_to(state::stepping);
  order(on::stop_asked{zero, "client"});
  auto events = ports.log.size();

  EXPECT_EQ(order(on::stop_asked{zero, "client"}).what, kind::needless);

  EXPECT_EQ(ports.log.size(), events);
}

TEST_F(clients, pause_a_running_trial_at_its_next_report_with_a_checkpoint) {
  bring_to(state::stepping);
  order(on::pause_asked{zero});
  EXPECT_TRUE(ports.all<cmd::save>().empty());

  report();
  decide(go_on{});
  save();
  end(end_class::stopped);

  EXPECT_EQ(status(), paused);
  EXPECT_EQ(uut->machine().view().held, 1u);
}

TEST_F(clients, pause_is_refused_where_the_trainable_cannot_save) {
  settings.saves = save_ability::none;
  bring_to(state::stepping);

  EXPECT_EQ(order(on::pause_asked{zero}).what, kind::refused);
  EXPECT_EQ(uut->machine().view().held, 0u);
}

TEST_F(clients, hold_a_trial_against_the_scheduler_s_choice) {
  bring_to(state::paused);
  order(on::pause_asked{zero});

  // The scheduler may have chosen the trial before it heard of the hold.
  choose();
  decide(allow{});

  EXPECT_EQ(status(), paused);
  EXPECT_EQ(ports.all<cmd::place>().size(), 1u);
}

TEST_F(clients, hold_a_pending_trial_which_the_scheduler_hears_as_paused) {
  bring_to(state::pending);
  order(on::pause_asked{zero});

  EXPECT_EQ(ports.heard<fact::paused>(zero), 1u);
  order(on::unpause_asked{zero});
  EXPECT_EQ(ports.heard<fact::unpaused>(zero), 1u);
  choose();
  EXPECT_EQ(ports.all<cmd::place>().size(), 1u);
}

TEST_F(clients, hold_a_trial_whose_lease_comes_too_late) {
  bring_to(state::chosen);
  order(on::pause_asked{zero});

  place();

  EXPECT_EQ(ports.all<cmd::release>().size(), 1u);
  EXPECT_EQ(status(), pending);
}

TEST_F(clients, hold_a_trial_that_fails_while_it_is_to_pause) {
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 3;
  settings.failures.backoff = std::chrono::seconds{5};
  bring_to(state::stepping);
  order(on::pause_asked{zero});

  end(end_class::user_error);

  EXPECT_EQ(status(), pending);
  EXPECT_EQ(ports.heard<fact::paused>(zero), 1u);
  EXPECT_FALSE(uut->machine().next_deadline());
  EXPECT_EQ(uut->machine().view().held, 1u);
}

TEST_F(clients, hold_a_trial_that_waits_for_its_back_off) {
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 3;
  settings.failures.backoff = std::chrono::seconds{5};
  bring_to(state::stepping);
  end(end_class::user_error);
  ASSERT_TRUE(uut->machine().next_deadline());

  EXPECT_EQ(order(on::pause_asked{zero}).what, kind::taken);

  EXPECT_FALSE(uut->machine().next_deadline());
  order(on::unpause_asked{zero});
  choose();
  EXPECT_EQ(ports.all<cmd::place>().size(), 2u);
}

TEST_F(clients, are_told_that_nothing_runs_before_a_back_off_has_passed) {
  settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 3;
  settings.failures.backoff = std::chrono::seconds{5};
  bring_to(state::stepping);
  post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number, exhausted{"all out"}});
  EXPECT_EQ(uut->machine().view().waits_for, "");

  end(end_class::user_error);

  EXPECT_EQ(uut->machine().view().waits_for,
            "1 trial that failed waits for its [failure] backoff to pass");
}

TEST_F(clients, a_pause_whose_save_fails_holds_nothing) {
  bring_to(state::reported);
  order(on::pause_asked{zero});

  auto x = ports.all<cmd::save>().back();
  post(on::save_failed{zero, attempt, x.checkpoint, "disk full"});

  EXPECT_EQ(status(), running);
  EXPECT_EQ(uut->machine().view().held, 0u);
}

TEST_F(clients, unpause_a_trial_that_is_about_to_pause) {
  bring_to(state::reported);
  order(on::pause_asked{zero});

  EXPECT_EQ(order(on::unpause_asked{zero}).what, kind::taken);
  save();
  end(end_class::stopped);

  EXPECT_EQ(status(), pending);
  EXPECT_EQ(uut->machine().view().held, 0u);
  EXPECT_EQ(ports.heard<fact::unpaused>(zero), 1u);
}

TEST_F(clients, holding_one_trial_does_not_keep_those_behind_it_from_running) {
  open(2);
  post(on::pause_asked{zero});
  auto asked = [this] { return ports.all<cmd::choose>().size(); };
  auto before = asked();

  choose({zero});
  EXPECT_EQ(asked(), before + 1);

  // A scheduler that names a held trial again is not asked again.
  choose({zero});
  EXPECT_EQ(asked(), before + 1);
  post(on::unpause_asked{zero});
  EXPECT_EQ(asked(), before + 2);
}

TEST_F(clients, are_told_that_the_whole_experiment_is_paused) {
  bring_to(state::pending);
  EXPECT_EQ(uut->machine().view().waits_for, "");

  order(on::pause_asked{});
  choose({});
  post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number, exhausted{"all out"}});

  EXPECT_EQ(uut->machine().view().waits_for,
            "nothing runs: the experiment is paused until `unpause` lifts that");
  order(on::unpause_asked{});
  EXPECT_EQ(uut->machine().view().waits_for, "");
}

TEST_F(clients, wait_for_what_they_hold_instead_of_stalling) {
  bring_to(state::pending);
  order(on::pause_asked{zero});
  choose({});
  post(on::suggested{ports.all<cmd::ask_searcher>().back().what.number, exhausted{"all out"}});

  EXPECT_TRUE(ports.all<cmd::resolve_stall>().empty());
  ASSERT_EQ(ports.all<cmd::warn>().size(), 1u);
  const auto told = ports.all<cmd::warn>()[0].text;
  EXPECT_NE(told.find("nothing runs"), std::string::npos);
  EXPECT_NE(told.find("paused by a client (trial 00000), until `unpause`"), std::string::npos)
      << told;
  EXPECT_EQ(uut->machine().view().waits_for, told);
  EXPECT_FALSE(uut->machine().is_finished());

  order(on::unpause_asked{zero});
  EXPECT_EQ(uut->machine().view().waits_for, "");
}

TEST_F(clients, pause_everything_means_that_nothing_more_is_started) {
  bring_to(state::stepping);
  suggest(1);
  choose({{1}});
  ASSERT_EQ(ports.all<cmd::place>().size(), 2u);

  EXPECT_EQ(order(on::pause_asked{}).what, kind::taken);
  EXPECT_EQ(order(on::pause_asked{}).what, kind::needless);
  EXPECT_EQ(ports.all<cmd::cancel_place>().size(), 1u);
  // Running trials go on; a lease granted meanwhile is given back.
  report();
  decide(go_on{});
  EXPECT_EQ(ports.all<cmd::proceed>().size(), 1u);
  auto mine = attempt;
  place({1});
  EXPECT_EQ(ports.all<cmd::release>().size(), 1u);
  attempt = mine;
  end(end_class::finished);
  auto asked = ports.all<cmd::choose>().size();

  EXPECT_EQ(status({1}), pending);
  EXPECT_EQ(order(on::unpause_asked{}).what, kind::taken);
  EXPECT_EQ(ports.all<cmd::place>().size(), 3u);
  EXPECT_EQ(ports.all<cmd::choose>().size(), asked);
}

TEST_F(clients, add_a_trial_once_for_each_key) {
  settings.max_trials = 1;
  bring_to(state::stepping);
  auto mine = std::make_shared<object>(object{{"x", 5}});

  auto first = order(on::add_asked{"key", mine});
  auto again = order(on::add_asked{"key", mine});
  auto other = order(on::add_asked{"", mine});

  EXPECT_EQ(first.what, kind::taken);
  EXPECT_EQ(first.trial, trial_id{1});
  EXPECT_EQ(again.what, kind::needless);
  EXPECT_EQ(again.trial, trial_id{1});
  EXPECT_EQ(other.trial, trial_id{2});
  EXPECT_EQ(status({2}), pending);
}

TEST_F(clients, added_trials_are_none_of_the_samples) {
  settings.max_trials = 2;
  open();
  order(on::add_asked{"", std::make_shared<object>(object{{"x", 5}})});
  choose({zero, {1}});
  place();
  place({1});

  // One of two samples is out, so one more is asked for.
  EXPECT_FALSE(uut->machine().view().searcher_done);
  suggest(1);
  EXPECT_TRUE(uut->machine().view().searcher_done);
}

TEST_F(clients, retry_goes_on_from_the_newest_checkpoint_and_is_not_judged_twice) {
  settings.checkpoints.frequency = 1;
  bring_to(state::reported);
  decide(go_on{});
  save();
  end(end_class::finished);
  ASSERT_EQ(status(), terminated);
  auto before = uut->machine().view().succeeded;

  order(on::retry_asked{zero, std::make_shared<object>(object{{"x", 1}}), "test", false});
  choose();
  place();

  auto launched = ports.all<cmd::launch>().back();
  EXPECT_EQ(launched.from, checkpoint_id{1});
  EXPECT_EQ(launched.iteration, 1u);
  EXPECT_EQ(launched.lineage, 1u);
  EXPECT_EQ(launched.failures, 0u);
  EXPECT_EQ(before, 1u);
  EXPECT_EQ(uut->machine().view().succeeded, 0u);
  auto judged = ports.all<cmd::judge>().size();
  // An iteration that was judged before.
  iteration = 0;
  report();
  EXPECT_EQ(ports.all<cmd::judge>().size(), judged);
  report();
  EXPECT_EQ(ports.all<cmd::judge>().size(), judged + 1);
}

TEST_F(clients, retry_holds_the_iteration_that_it_had_come_to) {
  open();
  run();
  report();
  report();
  end(end_class::finished);
  order(on::retry_asked{zero, std::make_shared<object>(object{{"x", 1}}), "test", false});
  EXPECT_EQ(row().iteration, 2u);
  order(on::stop_asked{zero, "enough"});

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(row().iteration, 2u);
}

TEST_F(clients, retry_from_scratch_forgets_checkpoints_and_is_judged_afresh) {
  settings.checkpoints.frequency = 1;
  bring_to(state::reported);
  decide(go_on{});
  save();
  end(end_class::user_error);
  ASSERT_EQ(status(), errored);

  order(on::retry_asked{zero, std::make_shared<object>(object{{"x", 1}}), "test", true});
  choose();
  place();

  auto launched = ports.all<cmd::launch>().back();
  EXPECT_FALSE(launched.from);
  EXPECT_EQ(launched.lineage, 2u);
  auto judged = ports.all<cmd::judge>().size();
  report();
  EXPECT_EQ(ports.all<cmd::judge>().size(), judged + 1);
}

TEST_F(clients, retry_after_one_from_scratch_that_failed_begins_from_scratch_again) {
  settings.checkpoints.frequency = 1;
  bring_to(state::reported);
  decide(go_on{});
  save();
  end(end_class::user_error);
  on::retry_asked again{zero, std::make_shared<object>(object{{"x", 1}}), "test", true};
  order(again);
  choose();
  place();
  end(end_class::user_error);
  ASSERT_EQ(status(), errored);

  again.from_scratch = false;
  order(again);
  choose();
  place();

  EXPECT_FALSE(ports.all<cmd::launch>().back().from);
}

TEST_F(clients, hear_that_the_run_leaves_off) {
  bring_to(state::stepping);
  post(on::interrupted{"SIGTERM"});
  on::retry_asked again{zero, nullptr, "", false};

  EXPECT_EQ(order(on::pause_asked{zero}).what, kind::refused);
  EXPECT_EQ(order(on::unpause_asked{zero}).what, kind::refused);
  EXPECT_EQ(order(on::pause_asked{}).what, kind::refused);
  EXPECT_EQ(order(on::stop_asked{}).what, kind::refused);
  EXPECT_EQ(order(on::add_asked{"", std::make_shared<object>()}).what, kind::refused);
  EXPECT_EQ(order(again).what, kind::refused);
}

TEST_F(clients, A3_2_hear_that_the_run_is_over) {
  bring_to(state::ended);
  order(on::stop_asked{});
  ASSERT_TRUE(uut->machine().is_finished());

  EXPECT_EQ(order(on::stop_asked{}).what, kind::refused);
  EXPECT_EQ(order(on::add_asked{"", std::make_shared<object>()}).what, kind::refused);
  EXPECT_EQ(order(on::pause_asked{zero}).trial, zero);
  EXPECT_EQ(order(on::stop_asked{zero, "client"}).what, kind::needless);
  EXPECT_EQ(order(on::stop_asked{trial_id{9}, "client"}).what, kind::unknown);
}

// -- Heads that resume.

/// Runs to the end with one trial errored and one left pending, then lets the next head take over.
struct next_head : clients {
  void SetUp() override {
    bring_to(state::failed);
    suggest(1);
    ASSERT_EQ(status(), errored);
    post(on::interrupted{"leave off"});
    ASSERT_TRUE(uut->machine().is_finished());
  }
  void again(bool from_scratch) {
    post(on::retry_asked{zero, std::make_shared<object>(object{{"x", 1}}), "test", from_scratch});
  }
};

TEST_F(next_head, begins_nothing_before_all_is_gathered) {
  auto before = ports.done.size();

  post(on::opened{2, "test", "{}", 1, opening::gathers});
  again(false);

  EXPECT_EQ(std::count_if(ports.done.begin() + static_cast<std::ptrdiff_t>(before),
                          ports.done.end(),
                          [](const command& x) {
                            return std::holds_alternative<cmd::choose>(x.what)
                                   || std::holds_alternative<cmd::ask_searcher>(x.what);
                          }),
            0);
  post(on::gathered{});
  choose({zero, {1}});
  EXPECT_EQ(ports.all<cmd::place>().size(), 3u);
}

// Behaviour A5.2.
TEST_F(next_head, runs_errored_trials_only_where_that_is_wanted_and_leaves_the_rest) {
  auto asked = ports.all<cmd::choose>().size();
  post(on::opened{2, "test", "{}", 1, opening::gathers});
  again(false);
  post(on::gathered{true});

  ASSERT_EQ(ports.all<cmd::place>().size(), 2u);
  EXPECT_EQ(ports.all<cmd::place>().back().trial, zero);
  EXPECT_EQ(ports.all<cmd::choose>().size(), asked);
  place();
  report();
  end(end_class::finished);

  EXPECT_EQ(ports.all<cmd::finish>().back().status, experiment_status::left_off);
  EXPECT_EQ(status(), terminated);
  EXPECT_EQ(status({1}), pending);
}

TEST_F(next_head, has_nothing_to_do_where_no_trial_is_to_run_again) {
  post(on::opened{2, "test", "{}", 1, opening::gathers});
  post(on::gathered{true});

  EXPECT_EQ(ports.all<cmd::finish>().back().status, experiment_status::left_off);
}

TEST_F(clients, next_head_is_done_where_what_had_failed_was_all_that_was_left) {
  bring_to(state::failed);
  auto exhaust = [&] {
    auto number = ports.all<cmd::ask_searcher>().back().what.number;
    post(on::suggested{number, exhausted{"all out"}});
  };
  exhaust();
  ASSERT_TRUE(uut->machine().is_finished());

  post(on::opened{2, "test", "{}", 1, opening::gathers});
  post(on::retry_asked{zero, std::make_shared<object>(object{{"x", 1}}), "test", false});
  post(on::gathered{true});
  place();
  end(end_class::finished);
  EXPECT_FALSE(uut->machine().is_finished());
  exhaust();

  EXPECT_EQ(ports.all<cmd::finish>().back().status, experiment_status::done);
}

TEST_F(next_head, after_a_narrow_one_runs_the_rest) {
  post(on::opened{2, "test", "{}", 1, opening::gathers});
  post(on::gathered{true});
  ASSERT_TRUE(uut->machine().is_finished());

  post(on::opened{3, "test", "{}", 1});
  choose({{1}});

  EXPECT_EQ(ports.all<cmd::place>().back().trial, trial_id{1});
}

// -- Clients and crashes together.

class any_client : public testing::TestWithParam<std::uint64_t> {
protected:
  std::uint64_t seed = GetParam();
  rng chance{GetParam(), "clients", 0};
  world::make_scheduler maker
      = [seed = GetParam()] { return std::make_unique<support::toy_scheduler>(seed); };
  experiment_settings settings = support::run_by_hand::able_to_save();
  world_options options;
  /// Kind (variant index) of each taken wish, by its place in the log.
  std::map<sequence, std::size_t> acknowledged;

  void SetUp() override {
    options.seed = seed;
    options.trials = 12;
    options.iterations = 8;
    options.failure = 0.04;
    options.save_failure = 0.1;
    options.doubled = 0.1;
    options.most_delay = seed % 3 * 20;
    settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 3;
    settings.failures.backoff = std::chrono::milliseconds{30};
    settings.failures.max_consecutive_failures = 0;
    settings.checkpoints.frequency = 3;
  }

  event_body any_wish() {
    trial_id trial{chance.below(13)};
    auto config = std::make_shared<object>(object{{"x", 3}});
    auto all = chance.unit() < 0.1;
    auto whom = all ? std::nullopt : std::optional{trial};
    switch (chance.below(6)) {
      case 0:
        return on::stop_asked{trial, "client"};
      case 1:
      case 2:
        return on::pause_asked{whom};
      case 3:
        return on::unpause_asked{whom};
      case 4:
        return on::add_asked{"key " + std::to_string(chance.below(3)), config};
      default:
        break;
    }
    return on::retry_asked{trial, config, "client", chance.unit() < 0.5};
  }

  void wish(world& uut) {
    auto what = any_wish();
    auto told = uut.machine().weigh(what);
    uut.post(what);
    if (told.what != kind::taken)
      return;
    for (auto i = uut.log().rbegin(); i != uut.log().rend(); ++i) {
      if (i->what.index() == what.index()) {
        acknowledged[i->seq] = what.index();
        return;
      }
    }
    ADD_FAILURE() << "what was taken is not in the log";
  }
  /// A client is answered once its wish is durable: from then on the wish survives every crash.
  void expect_kept(const world& uut) {
    for (const auto& [seq, index] : acknowledged) {
      if (seq > uut.durable())
        continue;
      ASSERT_LE(seq, uut.log().size()) << "seed " << seed;
      ASSERT_EQ(uut.log()[seq - 1].what.index(), index) << "seed " << seed;
    }
  }
  static void release_all(world& uut) {
    uut.post(on::unpause_asked{});
    for (std::uint64_t i = 0; i < 40; ++i)
      uut.post(on::unpause_asked{trial_id{i}});
  }
};

TEST_P(any_client, is_kept_to_through_crashes_and_replays_exactly) {
  world uut{options, settings, maker};
  for (std::size_t stop = 15; stop < 260 && !uut.finished(); stop += 6 + seed % 5) {
    uut.run(stop);
    ASSERT_EQ(uut.violation(), "") << "seed " << seed;
    if (uut.finished())
      break;
    wish(uut);
    if (chance.unit() < 0.15) {
      // These wishes are not yet durable, so nobody was told of them.
      std::erase_if(acknowledged, [&](const auto& x) { return x.first > uut.durable(); });
      uut.lose_head();
      ASSERT_EQ(uut.violation(), "") << "seed " << seed;
      expect_kept(uut);
    }
  }
  for (int i = 0; i < 50 && !uut.finished(); ++i) {
    release_all(uut);
    uut.run();
  }

  ASSERT_EQ(uut.violation(), "") << "seed " << seed;
  ASSERT_TRUE(uut.finished()) << "seed " << seed;
  auto replayed = replay_hashes(uut.log(), options, settings, maker);
  for (std::size_t i = 0; i < uut.hashes().size(); ++i)
    ASSERT_EQ(uut.hashes()[i], replayed[i]) << "seed " << seed << " seq " << i + 1;
  auto view = uut.machine().view();
  EXPECT_EQ(view.held, 0u) << "seed " << seed;
  EXPECT_EQ(view.counts[0] + view.counts[1] + view.counts[2], 0u) << "seed " << seed;
  EXPECT_GE(view.counts[3] + view.counts[4], 12u) << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(clients, any_client, testing::Range<std::uint64_t>(1, 121));

} // namespace
} // namespace tune
