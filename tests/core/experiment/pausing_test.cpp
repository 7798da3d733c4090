// Pauses whose checkpoint lies in the memory of a node, and exports at the end of a trial.
// SPDX-License-Identifier: BSD-3-Clause
#include "one_trial.hpp"

#include "tune/core/experiment/made_room.hpp"

#include <string>
#include <vector>

namespace tune {
namespace {

struct pausing : samples::one_trial {
  pausing() {
    settings.checkpoints.pause_in_memory = true;
    settings.failures.budget[static_cast<std::size_t>(end_class::user_error)] = 3;
  }

  /// Trains to iteration 1, saves on disk, trains to 2, and pauses in the memory of "near".
  void pause() {
    open();
    choose();
    place();
    post(on::started{zero, attempt, 7});
    report();
    decide(tune::save{});
    save("on/disk");
    report();
    decide(pause_trial{});
    save("memory:there");
    end(end_class::stopped);
    ASSERT_EQ(status(), trial_status::paused);
  }
  void wake() {
    post(on::unpause_asked{zero});
    choose();
  }
  /// Opens the next head.
  void open_again(std::uint32_t draws) {
    post(on::opened{2, "test", "{}", 1, opening::at_once, draws});
  }
  /// Number of events that doom checkpoints.
  [[nodiscard]] std::size_t doomed() const {
    std::size_t result = 0;
    for (const auto& x : ports.log)
      result += std::holds_alternative<on::checkpoints_doomed>(x.what) ? 1 : 0;
    return result;
  }
  /// Locations of the checkpoints that are to be removed.
  [[nodiscard]] std::vector<std::string> removed() const {
    std::vector<std::string> result;
    for (const auto& x : ports.all<cmd::discard>())
      result.push_back(x.location);
    return result;
  }
};

TEST_F(pausing, may_be_in_memory_where_no_other_save_may) {
  pause();

  auto saves = ports.all<cmd::save>();
  ASSERT_EQ(saves.size(), 2u);
  EXPECT_FALSE(saves[0].in_memory);
  EXPECT_TRUE(saves[1].in_memory);
}

TEST_F(pausing, says_for_whom_a_trial_made_room_that_waits_for_its_turn) {
  for (const auto* how : {"made room for high of bob, priority 5", "stopped"}) {
    open();
    choose();
    place();
    post(on::started{zero, attempt, 7});
    post(on::pause_asked{zero});
    post(on::unpause_asked{zero});
    report();
    decide(tune::go_on{});
    save("on/disk");
    end(end_class::stopped, how);

    EXPECT_EQ(status(), trial_status::pending);
    EXPECT_EQ(ports.last<cmd::trial_changed>().reason,
              made_room_for(how).empty() ? "unpaused"
                                         : "waits for its turn: it " + std::string{how});
    choose();
    place();
    EXPECT_EQ(ports.last<cmd::trial_changed>().reason, "");
  }
}

TEST_F(pausing, is_told_of_a_running_trial_as_asked_for) {
  for (const auto draws : {on::notes_stops_once, on::present_draws}) {
    const auto is_old = draws < on::blames_nodes;
    make();
    post(on::opened{1, "test", "{}", 1, opening::at_once, draws});
    suggest(1);
    choose();
    place();
    post(on::started{zero, attempt, 7});
    const auto before = ports.all<cmd::trial_changed>().size();

    post(on::pause_asked{zero});
    EXPECT_EQ(row().reason, is_old ? "paused by a client" : "asked to pause");
    post(on::unpause_asked{zero});

    EXPECT_EQ(status(), trial_status::running);
    EXPECT_EQ(row().reason, is_old ? "paused by a client" : "asked to pause and wait for its turn");
    EXPECT_EQ(ports.all<cmd::trial_changed>().size(), before + (is_old ? 1 : 2));
    EXPECT_EQ(order(on::unpause_asked{zero}).text,
              "it goes on at its turn already, once it has paused");
  }
}

TEST_F(pausing, is_no_longer_told_of_a_trial_that_trains_on_as_it_cannot_save) {
  settings.checkpoints.pause_in_memory = false;
  open();
  choose();
  place();
  post(on::started{zero, attempt, 7});
  post(on::pause_asked{zero});
  post(on::unpause_asked{zero});
  report();
  decide(tune::go_on{});
  const auto asked = ports.last<cmd::save>();
  ASSERT_EQ(row().reason, "asked to pause and wait for its turn");

  post(on::save_failed{zero, attempt, asked.checkpoint, "it cannot save", asked.iteration, true});

  EXPECT_EQ(status(), trial_status::running);
  EXPECT_EQ(row().reason, "");
  EXPECT_EQ(order(on::unpause_asked{zero}).text, "it runs already");
  post(on::pause_asked{zero});
  post(on::unpause_asked{zero});
  EXPECT_EQ(row().reason, "") << "it is known by now";
}

TEST_F(pausing, stays_asked_for_by_a_client_until_a_report_brings_a_checkpoint) {
  settings.checkpoints.pause_in_memory = false;
  open();
  choose();
  place();
  post(on::started{zero, attempt, 7});
  post(on::pause_asked{zero});
  report();
  decide(tune::go_on{});
  const auto asked = ports.last<cmd::save>();

  post(on::save_failed{zero, attempt, asked.checkpoint, "it cannot save", asked.iteration, true});

  EXPECT_EQ(status(), trial_status::running);
  EXPECT_EQ(row().reason, "asked to pause");
}

TEST_F(pausing, is_on_disk_unless_memory_is_asked_for) {
  settings.checkpoints.pause_in_memory = false;
  open();
  choose();
  place();
  report();
  decide(pause_trial{});

  EXPECT_FALSE(ports.last<cmd::save>().in_memory);
}

TEST_F(pausing, is_on_disk_where_the_run_leaves_off) {
  open();
  choose();
  place();
  report();
  post(on::interrupted{"Ctrl-C"});

  EXPECT_TRUE(ports.last<cmd::save>().then_end);
  EXPECT_FALSE(ports.last<cmd::save>().in_memory);
}

TEST_F(pausing, goes_on_from_memory_on_the_node_that_has_it) {
  pause();
  wake();
  EXPECT_EQ(ports.last<cmd::place>().only_on, "near");
  place();

  EXPECT_EQ(ports.last<cmd::launch>().from_location, "memory:there");
  EXPECT_EQ(ports.last<cmd::launch>().iteration, 2u);
  EXPECT_TRUE(removed().empty());
}

TEST_F(pausing, gives_memory_back_once_the_trial_has_reported_again) {
  pause();
  wake();
  place();
  post(on::started{zero, attempt, 7});
  EXPECT_TRUE(removed().empty());
  report();

  EXPECT_EQ(removed(), (std::vector<std::string>{"memory:there"}));
  EXPECT_EQ(ports.last<cmd::discard>().node, "near");
}

// Behaviour A8.5.
TEST_F(pausing, in_memory_goes_with_its_head_also_where_an_attempt_was_restoring_it) {
  pause();
  wake();
  place();
  ASSERT_EQ(ports.last<cmd::launch>().from_location, "memory:there");

  open_again(on::present_draws);
  end(end_class::interrupted, "its head was lost");

  EXPECT_EQ(removed(), (std::vector<std::string>{"memory:there"}));
  choose();
  place();
  EXPECT_EQ(ports.last<cmd::launch>().from_location, "on/disk");
}

TEST_F(pausing, in_memory_is_not_said_to_go_where_it_stays) {
  pause();
  wake();
  place();

  open_again(on::keeps_places);

  EXPECT_EQ(doomed(), 0u);
  EXPECT_TRUE(removed().empty());
}

TEST_F(pausing, in_memory_stays_where_an_earlier_head_said_that_it_goes_while_it_was_restored) {
  pause();
  wake();
  place();
  auto from = ports.last<cmd::launch>().from;

  open_again(on::keeps_places);
  post(on::checkpoints_doomed{{from}});

  EXPECT_TRUE(removed().empty());
}

TEST_F(pausing, that_is_to_go_goes_once) {
  pause();
  wake();
  place();
  auto from = ports.last<cmd::launch>().from;
  post(on::started{zero, attempt, 7});
  report();
  ASSERT_EQ(removed(), (std::vector<std::string>{"memory:there"}));
  ASSERT_EQ(doomed(), 1u);

  EXPECT_FALSE(uut->machine().still_wanted(on::checkpoints_doomed{{from}}).has_value());
}

TEST_F(pausing, in_memory_does_not_replace_the_checkpoint_that_an_error_goes_back_to) {
  pause();
  wake();
  place();
  end(end_class::user_error, "boom");
  EXPECT_EQ(removed(), (std::vector<std::string>{"memory:there"}));
  choose();
  EXPECT_EQ(ports.last<cmd::place>().only_on, "");
  place();

  EXPECT_EQ(ports.last<cmd::launch>().from_location, "on/disk");
  EXPECT_EQ(ports.last<cmd::launch>().iteration, 1u);
}

TEST_F(pausing, keeps_memory_for_an_attempt_that_was_preempted_before_it_reported) {
  pause();
  wake();
  place();
  end(end_class::preempted, "its node was not ready");
  choose();
  place();

  EXPECT_EQ(ports.last<cmd::launch>().from_location, "memory:there");
}

TEST_F(pausing, goes_on_from_disk_when_its_node_is_lost) {
  pause();
  post(on::node_down{"near", "silent"});

  EXPECT_EQ(status(), trial_status::pending);
  EXPECT_EQ(ports.last<cmd::trial_changed>().reason, "what it paused with was lost");
  EXPECT_EQ(removed(), (std::vector<std::string>{"memory:there"}));
  ASSERT_EQ(ports.all<cmd::warn>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::warn>().text,
            "trial 00000: what it paused with was in the memory of node near, which was lost; it "
            "goes on from its newest checkpoint on disk if the scheduler chooses it again");
  choose();
  place("far");
  EXPECT_EQ(ports.last<cmd::launch>().from_location, "on/disk");
}

TEST_F(pausing, tells_at_once_of_all_trials_whose_node_is_lost) {
  open(2);
  for (const auto id : {zero, trial_id{1}}) {
    choose({id});
    attempt = uut->machine().next_attempt();
    post(on::placed{id, attempt, lease{{++leases}, {{"near", {}, {}}}}});
    reports = iteration = 0;
    report(id);
    post(on::decided{{{ports.last<cmd::judge>().cause, {{id, pause_trial{}, {}}}}}});
    save("memory:" + to_text(id));
    post(on::ended{id, attempt, end_class::stopped, "", {}});
    ASSERT_EQ(status(id), trial_status::paused);
  }

  post(on::node_down{"near", "silent"});

  ASSERT_EQ(ports.all<cmd::warn>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::warn>().text,
            "what 2 trials (00000, 00001) paused with was in the memory of node near, which was "
            "lost; they go on from scratch if the scheduler chooses them again");
}

TEST_F(pausing, is_not_touched_by_the_loss_of_another_node) {
  pause();
  post(on::node_down{"far", "silent"});

  EXPECT_EQ(status(), trial_status::paused);
  EXPECT_TRUE(removed().empty());
}

TEST_F(pausing, by_a_client_stays_so_when_its_node_is_lost) {
  open();
  choose();
  place();
  report();
  decide(go_on{});
  post(on::pause_asked{zero});
  report();
  decide(go_on{});
  EXPECT_TRUE(ports.last<cmd::save>().in_memory);
  save("memory:there");
  end(end_class::stopped);
  post(on::node_down{"near", "silent"});

  EXPECT_EQ(status(), trial_status::pending);
  EXPECT_EQ(uut->machine().view().held, 1u);
  post(on::unpause_asked{zero});
  choose();
  place("far");
  EXPECT_EQ(ports.last<cmd::launch>().from_location, "");
}

TEST_F(pausing, asks_for_any_node_when_its_own_is_lost_while_it_waits) {
  pause();
  wake();
  post(on::node_down{"near", "silent"});

  ASSERT_EQ(ports.all<cmd::place>().size(), 3u);
  EXPECT_EQ(ports.last<cmd::place>().only_on, "");
  EXPECT_EQ(ports.all<cmd::cancel_place>().size(), 1u);
}

TEST_F(pausing, goes_on_from_disk_where_it_is_placed_elsewhere_all_the_same) {
  pause();
  wake();
  place("far");

  EXPECT_EQ(ports.last<cmd::launch>().from_location, "on/disk");
  EXPECT_EQ(removed(), (std::vector<std::string>{"memory:there"}));
  EXPECT_EQ(ports.actions().back(), "pause_lost");
}

TEST_F(pausing, goes_on_from_disk_where_memory_cannot_be_read_back) {
  pause();
  wake();
  place();
  end(end_class::bad_checkpoint, "torn");
  choose();
  place();

  EXPECT_EQ(ports.last<cmd::launch>().from_location, "on/disk");
}

TEST_F(pausing, begins_anew_where_memory_is_lost_and_nothing_ever_was_on_disk) {
  open();
  choose();
  place();
  report();
  decide(pause_trial{});
  save("memory:there");
  end(end_class::stopped);
  wake();
  place();
  end(end_class::bad_checkpoint, "torn");

  EXPECT_EQ(status(), trial_status::pending);
  choose();
  place();
  EXPECT_FALSE(ports.last<cmd::launch>().from);
}

TEST_F(pausing, in_memory_ends_with_the_head) {
  pause();
  auto log = ports.log;
  ports = {};
  make();
  for (const auto& x : log)
    uut->replay(x);
  post(on::opened{2, "test", "{}", 1});
  uut->resume(now);

  EXPECT_EQ(status(), trial_status::pending);
  ASSERT_FALSE(removed().empty());
  EXPECT_EQ(removed().back(), "memory:there");
  choose();
  place();
  EXPECT_EQ(ports.last<cmd::launch>().from_location, "on/disk");
}

TEST_F(pausing, gives_memory_back_when_the_trial_is_stopped) {
  pause();
  post(on::stop_asked{zero, "enough"});

  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(removed(), (std::vector<std::string>{"memory:there"}));
}

TEST_F(pausing, that_found_no_room_in_memory_is_an_ordinary_checkpoint) {
  open();
  choose();
  place();
  report();
  decide(pause_trial{});
  save("on/disk");
  end(end_class::stopped);
  EXPECT_EQ(ports.last<cmd::warn>().text,
            "trial 00000: its pause went to disk, since node near has no room for it in memory");
  wake();
  EXPECT_EQ(ports.last<cmd::place>().only_on, "");
  place("far");

  EXPECT_EQ(ports.last<cmd::launch>().from_location, "on/disk");
}

TEST_F(pausing, that_fails_in_memory_is_tried_on_disk_and_is_no_failure) {
  open();
  choose();
  place();
  report();
  decide(pause_trial{});
  auto asked = ports.last<cmd::save>();
  post(on::save_failed{zero, attempt, asked.checkpoint, "no space left on device"});
  EXPECT_EQ(status(), trial_status::running);
  // The trial may train on.
  EXPECT_EQ(ports.last<cmd::proceed>().number, asked.number);
  report();
  decide(go_on{});

  auto again = ports.last<cmd::save>();
  EXPECT_NE(again.checkpoint, asked.checkpoint);
  EXPECT_FALSE(again.in_memory);
  EXPECT_TRUE(again.then_end);
  save("on/disk");
  end(end_class::stopped);
  EXPECT_EQ(status(), trial_status::paused);
  EXPECT_EQ(ports.last<cmd::trial_changed>().failures, 0u);
}

TEST_F(pausing, in_memory_is_nothing_that_others_can_be_cloned_from) {
  pause();
  auto donor = ports.last<cmd::save>().checkpoint;

  std::vector<checkpoint_id> offered;
  for (const auto& x : ports.all<cmd::tell_scheduler>()) {
    if (const auto* saved = std::get_if<fact::saved>(&x.what.what))
      offered.push_back(saved->checkpoint);
  }
  EXPECT_EQ(offered, (std::vector<checkpoint_id>{{donor.number - 1}}));
}

// -- The end.

TEST_F(pausing, ends_within_the_grace_time_also_after_its_checkpoint_is_written) {
  settings.stop_grace = std::chrono::seconds{10};
  open();
  choose();
  place();
  report();
  decide(pause_trial{});
  save("memory:there");

  EXPECT_EQ(uut->machine().next_deadline(), instant{std::chrono::seconds{10}});
  now = std::chrono::seconds{10};
  uut->pass(now);
  uut->durable(uut->machine().last_seq());
  ASSERT_EQ(ports.all<cmd::halt>().size(), 1u);
  EXPECT_EQ(ports.last<cmd::halt>().how, halt_mode::kill);
}

struct exporting : pausing {
  void run(std::chrono::nanoseconds export_time = std::chrono::seconds{60}) {
    settings.export_time = export_time;
    settings.stop_grace = std::chrono::seconds{10};
    open();
    choose();
    place();
    report();
  }
  void stop_by_client() { post(on::stop_asked{zero, "enough"}); }
  void exported(std::vector<exported_format> formats) {
    post(on::exported{zero, attempt, "trials/00000/a/checkpoint_000001", 7, std::move(formats)});
  }
};

TEST_F(exporting, is_asked_for_at_the_end_of_a_trial_and_has_time_of_its_own) {
  run();
  stop_by_client();

  EXPECT_TRUE(ports.last<cmd::halt>().exports);
  EXPECT_EQ(uut->machine().next_deadline(), instant{std::chrono::seconds{70}});
}

TEST_F(exporting, is_asked_for_with_the_last_checkpoint) {
  settings.checkpoints.at_end = true;
  run();
  stop_by_client();

  EXPECT_TRUE(ports.last<cmd::save>().exports);
  save("on/disk");
  EXPECT_EQ(uut->machine().next_deadline(), instant{std::chrono::seconds{70}});
}

TEST_F(exporting, is_not_asked_of_one_that_the_scheduler_gives_up) {
  run();
  decide(tune::stop{});

  EXPECT_FALSE(ports.last<cmd::halt>().exports);
}

TEST_F(exporting, is_not_asked_of_one_that_pauses_or_leaves_off) {
  run();
  decide(pause_trial{});
  EXPECT_FALSE(ports.last<cmd::save>().exports);
  post(on::interrupted{"Ctrl-C"});

  for (const auto& x : ports.all<cmd::halt>())
    EXPECT_FALSE(x.exports);
}

TEST_F(exporting, is_not_asked_for_where_nothing_is_to_be_exported) {
  run(std::chrono::nanoseconds{0});
  stop_by_client();

  EXPECT_FALSE(ports.last<cmd::halt>().exports);
}

TEST_F(exporting, is_a_decision_in_the_record) {
  run();
  stop_by_client();
  exported({{"model", "trials/00000/a/checkpoint_000001/model", ""}});
  end(end_class::stopped);

  EXPECT_EQ(ports.actions().back(), "exported");
  EXPECT_EQ(ports.all<cmd::decision_taken>().back().reason,
            (object{{"model", "trials/00000/a/checkpoint_000001/model"}}));
  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(exporting, that_fails_is_told_and_fails_no_trial) {
  run();
  stop_by_client();
  exported({{"model", "", "no such layer"}});
  end(end_class::killed);

  EXPECT_EQ(ports.actions().back(), "export_failed");
  EXPECT_EQ(ports.last<cmd::warn>().text, "trial 00000: its export as model failed: no such layer");
  EXPECT_EQ(status(), trial_status::terminated);
  EXPECT_EQ(ports.last<cmd::trial_changed>().failures, 0u);
}

TEST_F(exporting, of_an_attempt_that_is_over_does_not_count) {
  run();
  stop_by_client();
  end(end_class::stopped);
  auto events = ports.log.size();
  exported({{"model", "x", ""}});

  EXPECT_EQ(ports.log.size(), events);
}

} // namespace
} // namespace tune
