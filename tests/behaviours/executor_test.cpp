// Part A6 to A9 of docs/ray-behaviours.md as far as the state machine alone decides: the searcher,
// the life of a trial, nodes that come and go. SPDX-License-Identifier: BSD-3-Clause
#include "behaviours.hpp"

namespace tune {
namespace {

using namespace std::chrono_literals;
using support::world;

// -- A6: the searcher.

TEST_F(behaviours, A6_1_the_searcher_hears_each_result_and_one_completion) {
  open();
  run();
  exhaust();
  report(zero, 0.5);
  decide(go_on{});
  report(zero, 0.25, true);
  // The searcher is done before the run is finished.
  EXPECT_TRUE(uut->machine().view().searcher_done);
  EXPECT_FALSE(uut->machine().is_finished());
  end(end_class::stopped);

  auto heard = ports.observed(zero);
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0].how, outcome::running);
  EXPECT_EQ(heard[0].fidelity, 1u);
  EXPECT_EQ(heard[0].values, std::vector<double>{-0.5});
  EXPECT_EQ(heard[1].how, outcome::running);
  EXPECT_EQ(heard[1].fidelity, 2u);
  EXPECT_EQ(heard[2].how, outcome::completed);
  EXPECT_EQ(heard[2].values, std::vector<double>{-0.25});
  EXPECT_TRUE(uut->machine().is_finished());
}

TEST_F(behaviours, A6_2_a_trial_stopped_at_its_first_result_is_completed_once) {
  open();
  run();
  report();

  decide(tune::stop{});
  end(end_class::stopped);

  EXPECT_EQ(status(), terminated);
  EXPECT_EQ(row().last->iteration, 1u);
  auto heard = ports.observed(zero);
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].how, outcome::running);
  EXPECT_EQ(heard[1].how, outcome::stopped);
  EXPECT_EQ(heard[1].fidelity, 1u);
}

TEST_F(behaviours, A6_3_the_run_waits_for_a_searcher_that_takes_its_time) {
  open(2);
  choose({{0}, {1}});
  for (trial_id id : {trial_id{0}, trial_id{1}}) {
    place(id);
    report(id);
    end(end_class::finished, id);
  }
  EXPECT_EQ(status({0}), terminated);
  EXPECT_EQ(status({1}), terminated);
  EXPECT_FALSE(uut->machine().is_finished());
  EXPECT_FALSE(uut->machine().view().searcher_done);

  suggest(1);
  run({2});
  exhaust();
  end(end_class::finished, {2});

  EXPECT_EQ(status({2}), terminated);
  EXPECT_EQ(ports.all<cmd::finish>().back().status, experiment_status::done);
}

TEST_F(behaviours, A6_4_the_searcher_may_turn_out_to_be_finished_when_it_is_asked) {
  open();
  run();
  ASSERT_FALSE(ports.all<cmd::ask_searcher>().empty());

  exhaust();
  EXPECT_EQ(status(), running);
  report();
  end(end_class::finished);

  EXPECT_EQ(status(), terminated);
  EXPECT_EQ(ports.all<cmd::finish>().back().status, experiment_status::done);
}

TEST_F(behaviours, A6_5_the_next_head_has_the_searchers_state_and_keeps_to_the_limit) {
  settings.max_concurrent = 2;
  auto how = calm(6, 4);
  how.slots = 8;
  world played{how, settings, oblige};
  ASSERT_TRUE(run_until(played, [&] { return all_of<on::ended>(played).size() == 2; }));

  played.lose_head();
  played.run();

  EXPECT_EQ(wrong(played), "");
  EXPECT_EQ(count_of(played, terminated), 6u);
  EXPECT_EQ(played.most_running(), 2u);
  std::set<std::string> tried;
  for (const auto& x : carried<cmd::trial_changed>(played))
    tried.insert(to_text(*x.config->find("x")));
  EXPECT_EQ(tried, (std::set<std::string>{"0", "1", "2", "3", "4", "5"}));
}

// -- A7: facts and requests.

TEST_F(behaviours, A7_2_a_new_trial_asks_for_what_it_needs_and_begins_with_its_configuration) {
  settings.request.bundles = {cpus(3)};
  open();
  EXPECT_EQ(status(), pending);
  EXPECT_EQ(ports.heard<fact::added>(zero), 1u);

  choose();
  ASSERT_EQ(ports.all<cmd::place>().size(), 1u);
  EXPECT_EQ(ports.all<cmd::place>()[0].request, settings.request);
  place();

  EXPECT_EQ(*launched().config->find("x"), value{1});
  EXPECT_FALSE(launched().from);
}

TEST_F(behaviours, A7_4_each_report_is_told_once_to_each_rule) {
  auto how = calm(10, 8);
  how.doubled = 0.3;
  world played{how, settings, oblige};

  played.run();

  EXPECT_EQ(wrong(played), "");
  std::map<std::pair<trial_id, std::uint64_t>, std::pair<int, int>> told;
  for (const auto& x : carried<cmd::tell_scheduler>(played)) {
    if (const auto* result = std::get_if<fact::result>(&x.what.what))
      ++told[{result->trial, result->iteration}].first;
  }
  for (const auto& x : carried<cmd::tell_searcher>(played)) {
    const auto* seen = std::get_if<observation>(&x.what.what);
    if (seen != nullptr && seen->how == outcome::running)
      ++told[{seen->trial, seen->fidelity}].second;
  }
  EXPECT_EQ(told.size(), 80u);
  for (const auto& [which, times] : told)
    EXPECT_EQ(times, std::make_pair(1, 1)) << to_text(which.first) << ' ' << which.second;
}

// -- A8: the life of one trial.

TEST_F(behaviours, A8_1_a_trial_that_is_stopped_is_terminated) {
  open();
  run();
  EXPECT_EQ(status(), running);

  order(on::stop_asked{zero, "enough"});
  end(end_class::stopped);

  EXPECT_EQ(status(), terminated);
  EXPECT_EQ(row().reason, "enough");
}

TEST_F(behaviours, A8_2_a_checkpoint_is_there_once_it_was_said_to_be_safe) {
  open();
  run();
  report();
  decide(tune::save{});
  ASSERT_EQ(ports.all<cmd::save>().size(), 1u);
  EXPECT_EQ(uut->machine().view().best->checkpoint, "");

  save();

  EXPECT_EQ(uut->machine().view().best->checkpoint, "there/1");
}

TEST_F(behaviours, A8_3_a_trial_is_saved_restored_and_stopped) {
  forgive(end_class::killed, 1);
  open();
  run();
  report();
  decide(tune::save{});
  save();
  end(end_class::killed);
  run();
  EXPECT_EQ(launched().from, checkpoint_id{1});
  EXPECT_EQ(launched().iteration, 1u);

  order(on::stop_asked{zero, "enough"});
  end(end_class::stopped);

  EXPECT_EQ(status(), terminated);
}

TEST_F(behaviours, A8_4_a_trial_is_paused_while_it_computes_and_while_it_is_judged) {
  for (auto in_flight : {true, false}) {
    ports = {};
    open();
    run();
    if (!in_flight)
      report();

    EXPECT_EQ(order(on::pause_asked{zero}).what, order_verdict::kind::taken);
    EXPECT_EQ(status(), running);
    if (in_flight) {
      report();
      decide(go_on{});
    }
    save();
    end(end_class::stopped);
    EXPECT_EQ(status(), paused) << in_flight;

    order(on::unpause_asked{zero});
    run();
    EXPECT_EQ(status(), running) << in_flight;
    EXPECT_EQ(launched().iteration, 1u) << in_flight;
  }
}

/// Reports `count` times; the scheduler judges the first report and the last, and then pauses the
/// trial.
void train_and_pause(behaviours& x, std::uint64_t count) {
  auto until = x.iteration + count;
  auto judged = x.ports.all<cmd::judge>().size();
  x.report();
  while (x.iteration < until) {
    if (x.ports.all<cmd::judge>().size() > judged) {
      x.decide(go_on{until - 1});
      judged = x.ports.all<cmd::judge>().size();
    }
    x.report();
  }
  x.decide(pause_trial{});
  x.save();
  x.end(end_class::stopped);
}

TEST_F(behaviours, A8_8_a_paused_trial_counts_on_whatever_it_may_report_unjudged) {
  for (std::uint64_t count : {1u, 2u, 8u}) {
    ports = {};
    open();
    run();

    train_and_pause(*this, count);
    ASSERT_EQ(status(), paused) << count;
    run();
    EXPECT_EQ(launched().iteration, count);
    train_and_pause(*this, count);
    run();

    EXPECT_EQ(launched().iteration, 2 * count);
    // Judged are the first and the last report of each round; with `count` 1 these are the same.
    EXPECT_EQ(ports.all<cmd::judge>().size(), count == 1 ? 2u : 4u);
  }
}

// -- A9: nodes that come and go.

TEST_F(behaviours, A9_1_trials_run_on_nodes_that_come_later) {
  auto played = simulated(nodes({"first", "second"}, cpus(1)), settings, 2, 50);
  played.run(1);
  played.lose_node("second", 100ms);
  ASSERT_TRUE(run_until(played, [&] { return all_of<on::reported>(played).size() == 5; }));
  EXPECT_EQ(count_of(played, running), 1u);
  EXPECT_EQ(count_of(played, pending), 1u);

  ASSERT_TRUE(run_until(played, [&] { return count_of(played, running) == 2; }));
  EXPECT_GE(played.now(), 100ms);
  played.run();

  EXPECT_EQ(wrong(played), "");
  EXPECT_EQ(count_of(played, terminated), 2u);
}

/// The node on which the latest attempt was launched.
std::string node_of(const simulation& x) {
  return behaviours::carried<cmd::launch>(x).back().where.bundles.front().node;
}

TEST_F(behaviours, A9_2_a_trial_whose_node_is_lost_before_its_first_report_runs_elsewhere) {
  forgive(end_class::node_lost, 2);
  auto played = simulated(nodes({"one", "two"}, cpus(1)), settings, 1, 4);
  ASSERT_TRUE(run_until(played, [&] { return all_of<on::started>(played).size() == 1; }));
  auto first = node_of(played);
  ASSERT_TRUE(all_of<on::reported>(played).empty());

  played.lose_node(first, 1h);
  played.run();

  EXPECT_EQ(wrong(played), "");
  EXPECT_NE(node_of(played), first);
  EXPECT_EQ(count_of(played, terminated), 1u);
  EXPECT_EQ(all_of<on::reported>(played).size(), 4u);
}

TEST_F(behaviours, A9_3_a_trial_moves_with_what_it_has_and_as_often_as_it_may) {
  struct {
    std::uint64_t frequency;
    std::uint32_t losses;
    std::uint64_t goes_on_at;
    trial_status ends;
  } cases[] = {{0, 2, 0, terminated}, {2, 2, 2, terminated}, {2, 0, 0, errored}};
  for (const auto& x : cases) {
    settings.checkpoints.frequency = x.frequency;
    forgive(end_class::node_lost, x.losses);
    auto played = simulated(nodes({"one", "two"}, cpus(1)), settings, 1, 6);
    ASSERT_TRUE(run_until(played, [&] { return all_of<on::reported>(played).size() == 3; }));

    played.lose_node(node_of(played), 1h);
    played.run();

    EXPECT_EQ(wrong(played), "");
    ASSERT_TRUE(played.finished());
    EXPECT_EQ(count_of(played, x.ends), 1u);
    auto launches = carried<cmd::launch>(played);
    EXPECT_EQ(launches.size(), x.losses > 0 ? 2u : 1u);
    EXPECT_EQ(launches.back().iteration, x.goes_on_at);
  }
}

TEST_F(behaviours, A9_4_without_nodes_all_trials_wait_for_one_to_come) {
  auto played = simulated(nodes({"only"}, cpus(2)), settings, 3, 5);
  ASSERT_TRUE(run_until(played, [&] { return count_of(played, running) == 2; }));

  played.lose_node("only", 1h);
  ASSERT_TRUE(run_until(played, [&] { return count_of(played, running) == 0; }));
  EXPECT_EQ(count_of(played, pending), 3u);
  EXPECT_FALSE(played.finished());
  played.run();

  EXPECT_EQ(wrong(played), "");
  EXPECT_GE(played.now(), 1h);
  EXPECT_EQ(count_of(played, terminated), 3u);
}

TEST_F(behaviours, A9_5_a_trial_that_lost_its_checkpoints_too_begins_anew_where_that_is_allowed) {
  for (auto allowed : {true, false}) {
    settings.failures.restart_from_scratch = allowed;
    ports = {};
    open();
    run();
    report();
    decide(tune::save{});
    save();
    end(end_class::node_lost);
    run();
    ASSERT_EQ(launched().from, checkpoint_id{1});

    end(end_class::bad_checkpoint, zero, "its directory is gone");

    if (!allowed) {
      EXPECT_EQ(status(), errored);
      continue;
    }
    run();
    EXPECT_FALSE(launched().from);
    EXPECT_EQ(launched().iteration, 0u);
    report();
    end(end_class::finished);
    EXPECT_EQ(status(), terminated);
  }
}

TEST_F(behaviours, A9_6_the_whole_cluster_may_go_and_come_again) {
  settings.checkpoints.frequency = 2;
  auto played = simulated(nodes({"one", "two"}, cpus(1)), settings, 2, 8);
  ASSERT_TRUE(run_until(played, [&] { return all_of<on::saved>(played).size() >= 2; }));

  played.lose_node("one", 1min);
  played.lose_node("two", 2min);
  played.lose_head();
  played.run();

  EXPECT_EQ(wrong(played), "");
  EXPECT_EQ(count_of(played, terminated), 2u);
}

TEST_F(behaviours, A9_7_whatever_an_experiment_does_it_comes_to_its_end_after_the_cluster_went) {
  for (auto failure : {0.0, 1.0}) {
    for (std::uint64_t frequency : {0u, 1u}) {
      settings.checkpoints.frequency = frequency;
      forgive(end_class::user_error, 0);
      auto how = nodes({"one"}, cpus(1));
      how.faults.failure = failure;
      auto played = simulated(std::move(how), settings, 1, 6);
      played.run(8);

      played.lose_node("one", 1min);
      played.lose_head();
      played.run();

      EXPECT_EQ(wrong(played), "") << failure << ' ' << frequency;
      EXPECT_EQ(count_of(played, failure > 0 ? errored : terminated), 1u)
          << failure << ' ' << frequency;
    }
  }
}

// -- B: how a trial's end is told.

TEST_F(behaviours, B3_1_the_scheduler_hears_the_end_with_the_last_result_in_both_forms) {
  for (auto says_so : {true, false}) {
    ports = {};
    open();
    run();
    report(zero, 0.5);
    decide(go_on{});
    report(zero, 0.25, says_so);
    end(says_so ? end_class::stopped : end_class::finished);

    std::vector<fact::ended> ends;
    for (const auto& x : ports.all<cmd::tell_scheduler>()) {
      if (const auto* found = std::get_if<fact::ended>(&x.what.what))
        ends.push_back(*found);
    }
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].how, fact::end_kind::completed);
    ASSERT_TRUE(ends[0].last);
    EXPECT_EQ(ends[0].last->iteration, 2u);
    EXPECT_EQ(ends[0].scores, std::vector<double>{-0.25});
    // A report with `done` is not judged.
    EXPECT_EQ(ends[0].judged, !says_so);
  }
}

TEST_F(behaviours, B1_1_preemption_is_forgiven_without_end_and_other_losses_are_counted_apart) {
  forgive(end_class::killed, 1);
  open();
  for (auto i = 0; i < 20; ++i) {
    run();
    end(end_class::preempted);
    ASSERT_EQ(status(), pending);
  }
  EXPECT_EQ(row().failures, 0u);

  run();
  end(end_class::killed);
  EXPECT_EQ(status(), pending);
  EXPECT_EQ(row().failures, 1u);
  run();
  end(end_class::killed);

  EXPECT_EQ(status(), errored);
  EXPECT_EQ(row().failures, 2u);
  // The scheduler hears of the one retry, and of no preemption.
  EXPECT_EQ(ports.heard<fact::failed>(zero), 1u);
}

} // namespace
} // namespace tune
