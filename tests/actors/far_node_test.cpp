// A node whose head is in another process.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"

#include "tune/actors/node.hpp"
#include "tune/actors/trial.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using support::launch_words;
using support::numbered;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct finder_state {
  static inline const char* name = "test.finder";
  std::vector<caf::typed_response_promise<job_ready>> asked;
};

/// Never finds the job, so that a launch stays pending.
job_lookup_actor::behavior_type endless(job_lookup_actor::stateful_pointer<finder_state> self) {
  return {
      [self](const job_wanted&) {
        return state_of(self).asked.emplace_back(self->make_response_promise<job_ready>());
      },
      [](const job_over&) {},
  };
}

struct far_node_test : support::deterministic_system {
  support::mock<cluster_actor> desk = mock_cluster();
  support::mock<trial_actor> trial = mock_trial();
  std::shared_ptr<session_fence> gate
      = std::make_shared<session_fence>([this] { return clock_now(); });
  node_settings settings;
  int opened = 0;
  node_local_actor uut;

  far_node_test() {
    gate->set_end(clock_now() + 10s);
    settings.gate = gate;
    settings.when_open = [this] { ++opened; };
  }

  void start() { uut = keep(spawn_local_node(*system, settings, desk.actor)); }
  void start_endless() {
    settings.finder = job_lookup_actor{keep(system->spawn(endless))};
    start();
  }

  static launch_order order(std::uint64_t lease, std::uint64_t turn, std::uint32_t epoch = 1) {
    launch_order result;
    result.job = "x";
    result.lease = lease;
    result.turn = turn;
    result.attempt = attempt_id{epoch, lease};
    return result;
  }
  void launch(std::uint64_t lease, std::uint64_t turn) {
    tell(uut, order(lease, turn), trial.actor);
  }
  node_inventory has() { return ask_now<node_inventory>(uut, enter_atom_v, std::uint64_t{0}); }
  attempt_ended end_of(const support::mock<trial_actor>& whom, std::uint64_t number) {
    auto word = whom.take<numbered<attempt_ended>>();
    EXPECT_EQ(word.first, number);
    return word.second;
  }
};

TEST_F(far_node_test, keeps_a_lease_until_the_end_of_its_attempt_was_heard) {
  start();

  launch(7, 1); // the node knows no such job
  desk.take<launch_declined>();
  EXPECT_EQ(end_of(trial, 1).how, static_cast<std::uint8_t>(end_class::preempted));

  EXPECT_THAT(has().leases, ElementsAre(7u));
  EXPECT_EQ(desk.heard->size(), 0u);
}

TEST_F(far_node_test, frees_a_lease_once_the_end_of_its_attempt_was_heard) {
  auto runner = mock_runner();
  auto listening = keep(spawn_trial(*system, trial_id{0}, runner.actor));
  start();
  tell(listening, order(7, 1));

  tell(uut, order(7, 1), listening);

  runner.heard->take_news<on::ended>();
  desk.take<launch_declined>();
  EXPECT_EQ(desk.take<lease_over>().lease, 7u);
  EXPECT_THAT(has().leases, IsEmpty());
  EXPECT_EQ(has().turn, 1u);
}

TEST_F(far_node_test, says_again_what_was_not_heard_when_it_is_back) {
  auto again = mock_trial();
  start();
  launch(7, 1);
  desk.take<launch_declined>();
  end_of(trial, 1);
  gate->shut();

  tell(uut, leases_kept{{7}, false});
  EXPECT_EQ(opened, 1);
  tell(uut, order(7, 1), again.actor);

  end_of(again, 1);
  EXPECT_EQ(trial.heard->size(), 0u);
}

TEST_F(far_node_test, never_begins_a_launch_again_whose_end_was_heard) {
  auto runner = mock_runner();
  auto listening = keep(spawn_trial(*system, trial_id{0}, runner.actor));
  start();
  tell(listening, order(7, 1));
  tell(uut, order(7, 1), listening);
  runner.heard->take_news<on::ended>();
  desk.take<launch_declined>();
  desk.take<lease_over>();

  tell(uut, order(7, 1), trial.actor); // as if the head had not heard that the lease is over

  EXPECT_EQ(desk.take<lease_over>().lease, 7u);
  EXPECT_EQ(desk.heard->size(), 0u);
  EXPECT_EQ(trial.heard->size(), 0u);
}

TEST_F(far_node_test, hears_nothing_of_the_session_before_once_it_is_back_in_another) {
  start_endless();
  launch(7, 1);
  EXPECT_THAT(ask_now<node_inventory>(uut, enter_atom_v, std::uint64_t{6}).leases, ElementsAre(7u));

  tell(uut, leases_kept{{}, true, 0});
  launch(8, 2);

  EXPECT_THAT(ask_now<node_inventory>(uut, enter_atom_v, std::uint64_t{6}).leases, ElementsAre(7u));
  EXPECT_EQ(opened, 0);
}

TEST_F(far_node_test, begins_and_says_nothing_while_its_lease_has_run_out) {
  start();
  pass(11s);

  launch(7, 1);

  EXPECT_EQ(has().turn, 0u);
  EXPECT_THAT(has().leases, IsEmpty());
}

TEST_F(far_node_test, keeps_what_happens_meanwhile_to_itself) {
  auto again = mock_trial();
  start_endless();
  launch(7, 1);
  gate->shut();
  settings.finder = nullptr;

  tell(uut, lease_revoked{8});
  EXPECT_EQ(desk.heard->size(), 0u);
  tell(uut, leases_kept{{7}, false});
  tell(uut, order(7, 1), again.actor);

  EXPECT_THAT(has().leases, ElementsAre(7u));
}

TEST_F(far_node_test, forgets_what_was_placed_anew) {
  start_endless();
  launch(7, 1);
  launch(8, 2);
  gate->shut();

  tell(uut, leases_kept{{8}, false});

  EXPECT_TRUE(gate->is_open());
  EXPECT_THAT(has().leases, ElementsAre(8u));
  EXPECT_EQ(has().turn, 2u);
}

TEST_F(far_node_test, refuses_a_head_that_is_not_the_newest) {
  start_endless();
  tell(uut, order(7, 1, 2), trial.actor);

  tell(uut, order(8, 2, 1), trial.actor);

  EXPECT_THAT(end_of(trial, 1).detail, HasSubstr("newer head"));
}

TEST_F(far_node_test, lets_an_experiment_begin_anew_once_it_was_over) {
  start();
  tell(uut, order(7, 1, 2), trial.actor);
  desk.take<launch_declined>();
  end_of(trial, 1);

  tell(uut, job_over{"x"});
  tell(uut, order(8, 2, 1), trial.actor);

  desk.take<launch_declined>();
  EXPECT_THAT(end_of(trial, 1).detail, HasSubstr("does not know experiment x"));
}

TEST_F(far_node_test, ends_all_at_once_when_it_gives_up) {
  start_endless();
  launch(7, 1);
  gate->shut();

  tell(uut, drain_atom_v);

  EXPECT_TRUE(is_gone(uut));
}

} // namespace
} // namespace tune
