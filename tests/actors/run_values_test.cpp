// The rules of a runner that need no actor.
// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/actors/replay_log.hpp"
#include "../../src/actors/run_orders.hpp"
#include "../../src/actors/run_status.hpp"
#include "support/run_by_hand.hpp"

#include "tune/actors/node.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace tune {
namespace {

using namespace std::chrono_literals;

struct run_values : testing::Test, support::run_by_hand {
  room_notes notes;

  run_values() {
    open();
    run();
  }

  [[nodiscard]] bool room_is_made(lease_id lease) {
    const auto result
        = pause_for(*uut, room_wanted{zero, lease, "high of bob, priority 5"}, now, notes);
    uut->durable(uut->machine().last_seq());
    return result;
  }
  void pause_by_saving() {
    report();
    decide(tune::go_on{});
    save();
    end(end_class::stopped);
  }

  /// What the record says of the end of the attempt, which ends as it was told to.
  [[nodiscard]] std::string detail_of_end() {
    event_body over = on::ended{zero, attempt, end_class::stopped, "", {}};
    notes.explain(over, uut->machine());
    return std::get<on::ended>(over).detail;
  }

  [[nodiscard]] runner_parts parts() const {
    runner_parts result{experiment{settings, {}, {}, {}},
                        on::opened{2, "test", "{}", 1},
                        {},
                        {},
                        {},
                        {},
                        false,
                        {}};
    result.awaits_attempts = true;
    result.outlives_heads = true;
    result.job = "digits-1";
    return result;
  }
};

TEST_F(run_values, have_a_trial_make_room_and_wait_for_its_turn) {
  EXPECT_TRUE(room_is_made(lease_id{leases}));
  pause_by_saving();

  EXPECT_EQ(status(), trial_status::pending);
}

TEST_F(run_values, say_for_whom_an_attempt_paused) {
  EXPECT_TRUE(room_is_made(lease_id{leases}));
  report();
  decide(tune::go_on{});
  save();

  EXPECT_EQ(detail_of_end(), "made room for high of bob, priority 5");
}

TEST_F(run_values, tell_of_room_once_an_attempt_has_paused_for_it) {
  EXPECT_TRUE(room_is_made(lease_id{leases}));
  report();
  decide(tune::go_on{});
  save();
  EXPECT_EQ(room_made_by(ports.last<cmd::attempt_changed>()), "");

  end(end_class::stopped, zero, detail_of_end());

  EXPECT_EQ(room_made_by(ports.last<cmd::attempt_changed>()), "high of bob, priority 5");
}

TEST_F(run_values, tell_of_no_room_where_an_attempt_trained_on_to_its_end) {
  EXPECT_TRUE(room_is_made(lease_id{leases}));
  report();
  decide(tune::go_on{});
  const auto asked = ports.last<cmd::save>();
  uut->post(on::save_failed{zero, attempt, asked.checkpoint, "never", asked.iteration, true}, now);

  end(end_class::finished);

  EXPECT_EQ(room_made_by(ports.last<cmd::attempt_changed>()), "");
  EXPECT_EQ(status(), trial_status::terminated);
}

TEST_F(run_values, do_not_say_for_whom_an_attempt_paused_that_was_stopped) {
  EXPECT_TRUE(room_is_made(lease_id{leases}));
  report();
  decide(stop{});

  EXPECT_EQ(detail_of_end(), "");
}

TEST_F(run_values, do_not_say_for_whom_an_attempt_paused_that_ended_for_an_exploit) {
  report();
  decide(tune::save{});
  save();
  const auto from = ports.last<cmd::save>().checkpoint;
  EXPECT_TRUE(room_is_made(lease_id{leases}));
  report();
  decide(exploit{zero, from, std::make_shared<object>(object{{"x", 2}})});

  EXPECT_EQ(detail_of_end(), "");
}

TEST_F(run_values, keep_a_pause_that_a_client_asked_for) {
  static_cast<void>(order(on::pause_asked{zero}));

  EXPECT_TRUE(room_is_made(lease_id{leases}));
  pause_by_saving();

  EXPECT_EQ(status(), trial_status::paused);
}

TEST_F(run_values, ask_no_room_of_a_trial_that_is_elsewhere_by_now) {
  const auto before = ports.log.size();

  EXPECT_FALSE(room_is_made(lease_id{leases + 1}));
  EXPECT_FALSE(pause_for(*uut, room_wanted{trial_id{9}, lease_id{leases}}, now, notes));

  EXPECT_EQ(ports.log.size(), before);
}

TEST_F(run_values, answer_each_of_several_orders) {
  const auto told = order_all(*uut, {on::pause_asked{zero}, on::pause_asked{trial_id{9}}}, now);

  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].what, order_verdict::kind::taken);
  EXPECT_EQ(told[1].what, order_verdict::kind::unknown);
}

TEST_F(run_values, tell_first_what_no_node_has) {
  const auto seen = status_of(uut->machine(), {}, {}, "trials wait for 2 GPUs", 5s);

  EXPECT_EQ(seen.waits_for, "trials wait for 2 GPUs");
  EXPECT_EQ(seen.at, 5s);
  EXPECT_EQ(seen.trials, 1u);
  EXPECT_EQ(status_of(uut->machine(), {}, {}, {}, 5s).waits_for, "");
}

TEST_F(run_values, tell_of_a_pause_before_what_no_node_has) {
  (void)order_all(*uut, {on::pause_asked{}}, now);

  const auto seen = status_of(uut->machine(), {}, {}, "trials wait for 2 GPUs", 5s);

  EXPECT_EQ(seen.waits_for, seen.view.waits_for);
}

TEST_F(run_values, await_what_runs_on_a_worker_alone) {
  auto from = parts();
  EXPECT_TRUE(awaited_launches(uut->machine(), from).size() == 1u);

  from.runs_ranks = true;
  EXPECT_TRUE(awaited_launches(uut->machine(), from).empty());
  from.runs_ranks = false;
  from.awaits_attempts = false;
  EXPECT_TRUE(awaited_launches(uut->machine(), from).empty());
}

TEST_F(run_values, tell_the_cluster_what_an_awaited_attempt_has) {
  const auto from = parts();
  const auto all = awaited_launches(uut->machine(), from);

  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].trial, zero);
  EXPECT_EQ(all[0].what.what.id, lease_id{leases});
  EXPECT_EQ(all[0].what.order.attempt.id(), attempt);
  EXPECT_EQ(all[0].what.order.job, "digits-1");
  EXPECT_TRUE(all[0].what.order.is_awaited);
  EXPECT_TRUE(all[0].what.has_begun);
}

TEST_F(run_values, gather_wishes_before_anything_else_happens) {
  auto from = parts();
  EXPECT_EQ(opening_of(from).how, from.opening.how);

  from.wishes.only_again = true;
  EXPECT_EQ(opening_of(from).how, opening::gathers);
  from.wishes.only_again = false;
  from.wishes.additions.emplace_back();
  EXPECT_EQ(opening_of(from).how, opening::gathers);
}

TEST_F(run_values, replay_earlier_heads_batch_by_batch) {
  report();
  support::noting_ports later;
  searcher_traits source;
  source.exhaustible = true;
  scheduler_traits judge;
  judge.choose_ahead = 4;
  engine next{experiment{settings, judge, source, {}}, later};
  auto from = parts();
  from.history = [this](sequence after) -> expected<std::vector<event>> {
    std::vector<event> result;
    for (const auto& x : ports.log) {
      if (x.seq > after && result.size() < 2)
        result.push_back(x);
    }
    return result;
  };
  std::size_t batches = 0;

  const auto done = replay_log(next, from, [&] { ++batches; });

  ASSERT_TRUE(done);
  EXPECT_EQ(done->results, 1u);
  EXPECT_EQ(batches, (ports.log.size() + 1) / 2);
  EXPECT_EQ(next.machine().last_seq(), uut->machine().last_seq());
  EXPECT_TRUE(later.log.empty());
}

TEST_F(run_values, replay_nothing_where_no_head_was_before) {
  const auto done = replay_log(*uut, parts(), [] { FAIL(); });

  ASSERT_TRUE(done);
  EXPECT_EQ(done->results, 0u);
  EXPECT_EQ(done->last, 0s);
}

} // namespace
} // namespace tune
