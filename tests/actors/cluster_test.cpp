// SPDX-License-Identifier: BSD-3-Clause
#include "support/deterministic_system.hpp"

#include "tune/actors/cluster.hpp"
#include "tune/actors/node.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

resources cpus(double x) {
  resources result;
  result.cpu = amount::of(x);
  return result;
}

lease_request wants(std::uint64_t trial, double cpu, bool wait = false) {
  return {trial_id{trial}, {{cpus(cpu)}, {}}, wait, {}};
}

struct cluster_test : support::deterministic_system {
  cluster_actor uut = keep(spawn_cluster(*system));
  support::mock<runner_actor> runner = mock_runner();
  support::mock<node_actor> node = mock_node();

  void offer(double cpu, const std::string& name = "here") {
    tell(uut, node_offer{name, cpus(cpu), {}}, node.actor);
  }
  void ask(const lease_request& what) { tell(uut, what, runner.actor); }
  /// The node declines a launch, since it is not ready.
  void decline(const lease_granted& what, bool is_passing = false) {
    tell(uut, launch_declined{what.what.id.number, "no space", is_passing});
    tell(uut, lease_over{what.what.id});
  }
  /// Grants a lease to a new trial and declines it. @returns the remark that people read.
  std::string not_ready(bool is_passing) {
    ask(wants(0, 1));
    decline(runner.take<lease_granted>(), is_passing);
    return runner.take<remark>().text;
  }
};

TEST_F(cluster_test, grants_in_the_order_of_requests) {
  offer(2);

  ask(wants(7, 1));
  ask(wants(3, 1));
  ask(wants(5, 1));

  auto first = runner.take<lease_granted>();
  EXPECT_EQ(first.trial.number, 7u);
  EXPECT_EQ(first.where, node.actor);
  EXPECT_EQ(first.what.bundles.front().node, "here");
  EXPECT_EQ(runner.take<lease_granted>().trial.number, 3u);
  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(cluster_test, tells_what_requests_wait_for_that_fit_no_node_and_when_they_do) {
  offer(1);
  ask(wants(3, 2, true));
  ask(wants(4, 2, true));
  EXPECT_EQ(runner.heard->size(), 0u);

  pass(2s);
  EXPECT_THAT(runner.take<requests_unmet>().text, HasSubstr("no node can hold 2 CPU"));
  ask(wants(5, 2, true));
  pass(2s);
  EXPECT_EQ(runner.heard->size(), 0u);
  auto there = mock_node();
  tell(uut, node_offer{"there", cpus(2), {}}, there.actor);

  EXPECT_EQ(runner.take<lease_granted>().trial.number, 3u);
  EXPECT_EQ(runner.take<requests_unmet>().text, "");
}

TEST_F(cluster_test, tells_what_requests_wait_for_whose_last_node_went) {
  offer(1);
  auto there = mock_node();
  tell(uut, node_offer{"there", cpus(2), {}}, there.actor);
  ask(wants(3, 2, true));
  runner.take<lease_granted>();
  ask(wants(4, 2, true));
  pass(2s);
  EXPECT_EQ(runner.heard->size(), 0u);

  tell(uut, node_leaving{"there"});
  pass(2s);

  EXPECT_THAT(runner.take<requests_unmet>().text, HasSubstr("no node can hold 2 CPU"));
}

TEST_F(cluster_test, grants_on_the_node_that_is_best_and_waits_for_it) {
  auto there = mock_node();
  offer(1);
  tell(uut, node_offer{"there", cpus(1), {}}, there.actor);
  auto wanted = wants(7, 1);
  wanted.best = node_label("there");
  ask(wanted);
  auto first = runner.take<lease_granted>();
  EXPECT_EQ(first.what.bundles.front().node, "there");
  wanted.trial = trial_id{8};

  ask(wanted);
  EXPECT_EQ(runner.heard->size(), 0u);
  tell(uut, lease_over{first.what.id});

  EXPECT_EQ(runner.take<lease_granted>().what.bundles.front().node, "there");
}

TEST_F(cluster_test, grants_elsewhere_where_the_best_node_is_not_there_or_leaves) {
  auto there = mock_node();
  offer(1);
  auto wanted = wants(7, 1);
  wanted.best = node_label("gone");
  ask(wanted);
  auto first = runner.take<lease_granted>();
  EXPECT_EQ(first.what.bundles.front().node, "here");
  tell(uut, lease_over{first.what.id});
  tell(uut, node_offer{"there", cpus(1), {}}, there.actor);
  wanted.best = node_label("there");
  ask(wanted);
  runner.take<lease_granted>();
  wanted.trial = trial_id{8};
  ask(wanted);
  EXPECT_EQ(runner.heard->size(), 0u);

  tell(uut, node_leaving{"there"});

  EXPECT_EQ(runner.take<lease_granted>().what.bundles.front().node, "here");
}

TEST_F(cluster_test, tells_all_nodes_that_a_job_is_over) {
  auto there = mock_node();
  offer(1);
  tell(uut, node_offer{"there", cpus(1), {}}, there.actor);

  tell(uut, job_over{"digits-1"});

  EXPECT_EQ(node.take<job_over>().job, "digits-1");
  EXPECT_EQ(there.take<job_over>().job, "digits-1");
}

/// A trial of two ranks, on two nodes.
struct rank_cluster_test : cluster_test {
  support::mock<node_actor> there = mock_node();
  support::mock<trial_actor> trial = mock_trial();
  support::mock<trial_actor> desk = mock_trial();
  /// The launch order that the second node received.
  support::launch_words second;

  launch_order order_of(const lease& what) {
    launch_order result;
    result.attempt = attempt_id{1, 1};
    result.lease = what.id.number;
    result.ranks = 2;
    for (const auto& bundle : what.bundles)
      result.bundles.push_back({bundle.node, {}, 1, 0, 0, {}, {}});
    return result;
  }

  /// Launches both ranks. @returns the order of the second rank.
  launch_order begin() {
    offer(1);
    tell(uut, node_offer{"there", cpus(1), {}}, there.actor);
    ask({trial_id{7}, {{cpus(1), cpus(1)}}, false, {}});
    auto order = order_of(runner.take<lease_granted>().what);
    tell(uut, order, trial.actor);
    EXPECT_EQ(node.take<support::launch_words>().first.rank, 0u);
    order.rank = 1;
    tell(uut, order, desk.actor);
    second = there.take<support::launch_words>();
    return order;
  }
};

TEST_F(rank_cluster_test, launches_the_second_on_its_own_node_under_a_number_of_its_own) {
  auto order = begin();

  const auto& [asked, by] = second;
  EXPECT_EQ(asked.rank, 1u);
  EXPECT_EQ(asked.lease, order.lease + 1);
  EXPECT_EQ(by, desk.actor);
  EXPECT_EQ(asked.bundles.front().address, "127.0.0.1");
}

TEST_F(rank_cluster_test, grants_nothing_of_the_lease_before_both_are_over) {
  auto order = begin();
  ask(wants(8, 1));

  tell(uut, lease_over{lease_id{order.lease}});
  EXPECT_EQ(runner.heard->size(), 0u);
  tell(uut, lease_over{lease_id{order.lease + 1}});

  EXPECT_EQ(runner.take<lease_granted>().trial.number, 8u);
}

TEST_F(rank_cluster_test, ends_the_first_where_the_node_of_the_second_is_lost) {
  auto order = begin();

  dismiss(there.actor);

  EXPECT_EQ(node.take<lease_revoked>().lease, order.lease);
}

TEST_F(rank_cluster_test, does_not_launch_the_second_after_the_end_of_the_first) {
  auto order = begin();
  tell(uut, lease_over{lease_id{order.lease}});
  tell(uut, lease_over{lease_id{order.lease + 1}});

  tell(uut, order, desk.actor);

  EXPECT_EQ(desk.take<attempt_ended>().how, static_cast<std::uint8_t>(end_class::preempted));
  EXPECT_EQ(there.heard->size(), 0u);
}

TEST_F(cluster_test, shares_alike_between_runners) {
  auto other = mock_runner();
  offer(2);
  for (std::uint64_t i = 0; i < 4; ++i)
    ask(wants(i, 1));
  auto first = runner.take<lease_granted>();
  auto second = runner.take<lease_granted>();
  tell(uut, wants(0, 1), other.actor);

  tell(uut, lease_over{first.what.id});

  EXPECT_EQ(other.take<lease_granted>().trial.number, 0u);
  EXPECT_EQ(runner.heard->size(), 0u);
  tell(uut, lease_over{second.what.id});
  EXPECT_EQ(runner.take<lease_granted>().trial.number, 2u);
}

TEST_F(cluster_test, tells_whether_a_request_could_ever_be_granted) {
  offer(1);
  ask(wants(0, 1));
  runner.take<lease_granted>();

  auto fits = ask_now<std::string>(uut, fit_question{{{cpus(1)}, {}}, {}});
  auto too_much = ask_now<std::string>(uut, fit_question{{{cpus(2)}, {}}, {}});
  auto unknown = ask_now<std::string>(uut, fit_question{{{cpus(1)}, {}}, {"trainable x"}});

  EXPECT_EQ(fits, "");
  EXPECT_NE(too_much, "");
  EXPECT_NE(unknown, "");
}

TEST_F(cluster_test, grants_the_next_when_a_lease_comes_back) {
  offer(1);
  ask(wants(0, 1));
  ask(wants(1, 1));
  auto first = runner.take<lease_granted>();
  ASSERT_EQ(runner.heard->size(), 0u);

  tell(uut, lease_over{first.what.id});

  auto second = runner.take<lease_granted>();
  EXPECT_EQ(second.trial.number, 1u);
  EXPECT_NE(second.what.id, first.what.id);
}

TEST_F(cluster_test, gives_nothing_twice_for_a_lease_that_comes_back_twice) {
  offer(1);
  ask(wants(0, 1));
  ask(wants(1, 1));
  ask(wants(2, 1));
  auto first = runner.take<lease_granted>();

  tell(uut, lease_over{first.what.id});
  tell(uut, lease_over{first.what.id});

  EXPECT_EQ(runner.take<lease_granted>().trial.number, 1u);
  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(cluster_test, refuses_what_no_node_could_ever_grant) {
  offer(2);

  ask(wants(4, 3));

  auto refused = runner.take<lease_refused>();
  EXPECT_EQ(refused.trial.number, 4u);
  EXPECT_NE(refused.why.find("3 CPU"), std::string::npos) << refused.why;
  EXPECT_NE(refused.why.find("2 CPU"), std::string::npos) << refused.why;
}

TEST_F(cluster_test, lets_a_request_wait_for_a_larger_node_where_it_may) {
  offer(2);
  ask(wants(4, 3, true));
  ASSERT_EQ(runner.heard->size(), 0u);

  offer(3);

  EXPECT_EQ(runner.take<lease_granted>().trial.number, 4u);
}

TEST_F(cluster_test, grants_nothing_to_a_request_that_was_withdrawn) {
  offer(1);
  ask(wants(0, 1));
  ask(wants(1, 1));
  ask(wants(2, 1));
  auto first = runner.take<lease_granted>();

  tell(uut, lease_cancel{trial_id{1}}, runner.actor);
  tell(uut, lease_cancel{trial_id{99}}, runner.actor);
  tell(uut, lease_over{first.what.id});

  EXPECT_EQ(runner.take<lease_granted>().trial.number, 2u);
}

TEST_F(cluster_test, keeps_two_runners_apart) {
  auto other = mock_runner();
  offer(1);
  ask(wants(0, 1));
  tell(uut, wants(0, 1), other.actor);
  tell(uut, wants(1, 1), other.actor);
  auto first = runner.take<lease_granted>();

  // The trial number is the same, but the trial belongs to another runner.
  tell(uut, lease_cancel{trial_id{0}}, runner.actor);
  tell(uut, lease_over{first.what.id});

  EXPECT_EQ(other.take<lease_granted>().trial.number, 0u);
  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(cluster_test, forgets_a_runner_that_went_away) {
  auto other = mock_runner();
  offer(1);
  ask(wants(0, 1));
  tell(uut, wants(0, 1), other.actor);
  ask(wants(1, 1));
  auto first = runner.take<lease_granted>();

  dismiss(other.actor);
  tell(uut, lease_over{first.what.id});

  EXPECT_EQ(runner.take<lease_granted>().trial.number, 1u);
}

TEST_F(cluster_test, tells_what_is_there_and_what_is_used) {
  offer(2);
  offer(3, "there");
  ask(wants(0, 1));
  runner.take<lease_granted>();

  auto books = ask_now<cluster_status>(uut, status_atom_v);

  EXPECT_EQ(books.total.cpu, amount::of(5));
  EXPECT_EQ(books.used.cpu, amount::of(1));
}

TEST_F(cluster_test, tells_a_runner_of_all_nodes_then_of_changes) {
  offer(2);

  tell(uut, runner.actor);
  auto other = mock_node();
  tell(uut, node_offer{"there", cpus(3), {}}, other.actor);
  dismiss(other.actor);

  auto name = [&] { return std::get<on::node_up>(runner.take<news>().what).node; };
  EXPECT_EQ(name(), "here");
  EXPECT_EQ(name(), "there");
  EXPECT_EQ(std::get<on::node_down>(runner.take<news>().what).node, "there");
}

TEST_F(cluster_test, grants_again_what_was_granted_of_a_lost_node) {
  auto other = mock_node();
  offer(1);
  tell(uut, node_offer{"there", cpus(1), {}}, other.actor);
  ask(wants(0, 1));
  ask(wants(1, 1));
  ask(wants(2, 1));
  EXPECT_EQ(runner.take<lease_granted>().where, node.actor);
  EXPECT_EQ(runner.take<lease_granted>().where, other.actor);

  dismiss(other.actor);
  ASSERT_EQ(runner.heard->size(), 0u);
  auto third = mock_node();
  tell(uut, node_offer{"there", cpus(1), {}}, third.actor);

  EXPECT_EQ(runner.take<lease_granted>().where, third.actor);
}

TEST_F(cluster_test, grants_nothing_more_of_a_node_that_leaves) {
  offer(2);
  ask(wants(0, 1));
  auto first = runner.take<lease_granted>();

  tell(uut, node_leaving{"here"});
  ask(wants(1, 1, true));
  tell(uut, lease_over{first.what.id});

  EXPECT_EQ(runner.heard->size(), 0u);
  EXPECT_EQ(ask_now<cluster_status>(uut, status_atom_v).total.cpu, amount::of(0));
}

TEST_F(cluster_test, has_the_trials_of_a_runner_that_went_away_ended) {
  auto other = mock_runner();
  offer(1);
  tell(uut, wants(0, 1), other.actor);
  auto first = other.take<lease_granted>();
  ask(wants(1, 1));

  dismiss(other.actor);
  EXPECT_EQ(node.take<lease_revoked>().lease, first.what.id.number);
  ASSERT_EQ(runner.heard->size(), 0u);
  tell(uut, lease_over{first.what.id});

  EXPECT_EQ(runner.take<lease_granted>().trial.number, 1u);
}

TEST_F(cluster_test, leaves_a_node_out_for_a_while_that_was_not_ready) {
  auto other = mock_node();
  offer(1);
  ask(wants(0, 1));
  auto first = runner.take<lease_granted>();

  decline(first);

  EXPECT_THAT(runner.take<remark>().text,
              AllOf(HasSubstr("node here is not ready for it: no space"), HasSubstr("for 1 s")));
  ask(wants(0, 1));
  ASSERT_EQ(runner.heard->size(), 0u);
  tell(uut, node_offer{"there", cpus(1), {}}, other.actor);
  EXPECT_EQ(runner.take<lease_granted>().where, other.actor);
  ask(wants(1, 1));
  ASSERT_EQ(runner.heard->size(), 0u);
  pass(1s);
  auto again = runner.take<lease_granted>();
  EXPECT_EQ(again.where, node.actor);
  decline(again);
  EXPECT_THAT(runner.take<remark>().text, HasSubstr("for 4 s"));
}

TEST_F(cluster_test, leaves_a_node_out_only_for_the_runner_that_it_was_not_ready_for) {
  auto other = mock_runner();
  offer(1);
  ask(wants(0, 1));
  decline(runner.take<lease_granted>());
  runner.take<remark>();

  tell(uut, wants(0, 1), other.actor);

  EXPECT_EQ(other.take<lease_granted>().where, node.actor);
}

TEST_F(cluster_test, counts_trials_once_that_were_granted_together) {
  offer(2);
  ask(wants(0, 1));
  ask(wants(1, 1));
  auto first = runner.take<lease_granted>();
  auto second = runner.take<lease_granted>();

  decline(first);
  decline(second);

  EXPECT_THAT(runner.take<remark>().text, HasSubstr("for 1 s"));
  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(cluster_test, tries_a_node_again_soon_where_something_ended_that_took_what_it_lacks) {
  offer(2);
  EXPECT_THAT(not_ready(true), HasSubstr("for 1 s"));
  pass(1s);
  ask(wants(0, 1));
  ask(wants(1, 1));
  auto good = runner.take<lease_granted>();
  decline(runner.take<lease_granted>(), true);
  EXPECT_THAT(runner.take<remark>().text, HasSubstr("for 4 s"));
  ask(wants(1, 1));

  tell(uut, lease_over{good.what.id});
  ASSERT_EQ(runner.heard->size(), 0u);
  pass(1s);

  EXPECT_EQ(runner.take<lease_granted>().trial.number, 1u);
}

TEST_F(cluster_test, begins_anew_with_a_node_that_was_ready_or_came_anew) {
  offer(1);
  auto not_ready = [this] {
    ask(wants(0, 1));
    decline(runner.take<lease_granted>());
    return runner.take<remark>().text;
  };
  not_ready();
  pass(1s);
  ask(wants(0, 1));
  tell(uut, lease_over{runner.take<lease_granted>().what.id});
  EXPECT_THAT(not_ready(), HasSubstr("for 1 s"));
  offer(1);

  EXPECT_THAT(not_ready(), HasSubstr("for 1 s"));
}

TEST_F(cluster_test, has_a_runner_leave_off_that_no_node_is_ever_ready_for) {
  offer(1);
  auto not_ready = [this](const support::mock<node_actor>& where) {
    ask(wants(0, 1));
    auto given = runner.take<lease_granted>();
    EXPECT_EQ(given.where, where.actor);
    decline(given);
  };
  not_ready(node);
  runner.take<remark>();
  pass(1s);
  not_ready(node);
  runner.take<remark>();
  auto other = mock_node();
  tell(uut, node_offer{"there", cpus(1), {}}, other.actor);
  not_ready(other);
  runner.take<remark>();
  pass(4s);
  not_ready(node);
  EXPECT_THAT(runner.take<remark>().text, HasSubstr("for 16 s"));
  not_ready(other);
  runner.take<remark>();
  pass(4s);
  not_ready(other);

  auto end = std::get<on::interrupted>(runner.take<news>().what);
  EXPECT_THAT(end.why, HasSubstr("no node is ready for it: node there is not ready for it: no"));
}

TEST_F(cluster_test, tries_a_node_for_ever_that_only_lacks_something_for_now) {
  offer(1);
  for (auto wait : {1s, 4s, 16s, 30s, 30s, 30s, 30s}) {
    EXPECT_THAT(not_ready(true), HasSubstr("for " + std::to_string(wait.count()) + " s"));
    pass(wait - 100ms);
    ask(wants(1, 1));
    EXPECT_EQ(runner.heard->size(), 0u);
    tell(uut, lease_cancel{trial_id{1}}, runner.actor);
    pass(100ms);
  }

  ask(wants(0, 1));

  EXPECT_EQ(runner.take<lease_granted>().where, node.actor);
}

TEST_F(cluster_test, does_not_count_what_passes_to_what_makes_a_run_hopeless) {
  offer(1);
  for (auto is_passing : {false, false, true, false, false}) {
    not_ready(is_passing);
    pass(256s);
  }

  ask(wants(0, 1));
  decline(runner.take<lease_granted>());

  EXPECT_THAT(std::get<on::interrupted>(runner.take<news>().what).why,
              HasSubstr("no node is ready for it"));
}

TEST_F(cluster_test, grants_a_request_only_where_its_labels_are_known) {
  auto able = mock_node();
  offer(4);
  auto request = wants(0, 1);
  request.labels = {trainable_label("mine")};
  ask(request);
  EXPECT_NE(runner.take<lease_refused>().why.find("no node has trainable mine"), std::string::npos);

  request.wait = true;
  ask(request);
  ASSERT_EQ(runner.heard->size(), 0u);
  tell(uut, node_offer{"there", cpus(1), {trainable_label("mine")}}, able.actor);

  EXPECT_EQ(runner.take<lease_granted>().where, able.actor);
}

TEST_F(cluster_test, tells_of_a_worker_that_lacks_the_trainable_when_it_comes_or_is_found) {
  auto far = mock_node();
  offer(0);
  auto request = wants(0, 1, true);
  request.labels = {trainable_label("mine")};
  ask(request);
  node_offer lacking{"far", cpus(1), {trainable_label("other")}};
  lacking.session = 5;

  tell(uut, lacking, far.actor);

  const auto told = runner.take<remark>();
  EXPECT_THAT(told.text, HasSubstr("worker far has no trainable mine"));
  EXPECT_NE(told.about, "") << "one is enough";
  far.take<leases_kept>();
  auto later = mock_runner();
  tell(uut, request, later.actor);
  EXPECT_THAT(later.take<remark>().text, HasSubstr("worker far has no trainable mine"));
  auto able = mock_node();
  node_offer good{"able", cpus(1), {trainable_label("mine")}};
  good.session = 6;
  tell(uut, good, able.actor);
  able.take<leases_kept>();
  EXPECT_EQ(runner.take<lease_granted>().where, able.actor);
}

// -- Nodes elsewhere, which may fall out of reach.

struct far_cluster_test : cluster_test {
  support::mock<trial_actor> trial = mock_trial();
  static constexpr std::uint64_t first_session = 5;

  /// Offers a worker's node for the first time or after a loss. Unless `has` names an incarnation,
  /// the process is the one that first joined in session 5.
  void come(const support::mock<node_actor>& as, std::uint64_t session, node_inventory has = {},
            const std::string& worker = "w1", double cpu = 1) {
    node_offer offer{"far", cpus(cpu), {}};
    offer.session = session;
    offer.worker = worker;
    offer.has = std::move(has);
    if (offer.has.incarnation == 0)
      offer.has.incarnation = first_session;
    tell(uut, offer, as.actor);
  }
  void join(double cpu = 1) {
    come(node, 5, {}, "w1", cpu);
    auto kept = node.take<leases_kept>();
    EXPECT_TRUE(kept.leases.empty());
    EXPECT_TRUE(kept.is_new);
    EXPECT_EQ(kept.session, first_session);
  }
  lease_granted granted() { return runner.take<lease_granted>(); }
  void launch(const lease_granted& on) {
    launch_order order;
    order.trial = on.trial.number;
    order.lease = on.what.id.number;
    tell(uut, order, trial.actor);
  }
  static std::uint64_t turn_of(const support::mock<node_actor>& whom) {
    return whom.take<support::launch_words>().first.turn;
  }
  void listen() { tell(uut, runner.actor); }
  void lose_again(std::uint64_t session) {
    tell(uut, node_silent{session, "silence"});
    runner.heard->take_news<on::node_down>();
  }
};

TEST_F(far_cluster_test, counts_what_it_launches_on_each_node) {
  join(2);
  ask(wants(1, 1));
  ask(wants(2, 1));
  launch(granted());
  launch(granted());

  EXPECT_EQ(turn_of(node), 1u);
  EXPECT_EQ(turn_of(node), 2u);
}

TEST_F(far_cluster_test, lets_a_node_come_back_with_what_it_runs) {
  auto back = mock_node();
  listen();
  join();
  runner.heard->take_news<on::node_up>();
  ask(wants(1, 1));
  auto lease = granted();
  launch(lease);
  turn_of(node);

  cut_off(node.actor);
  EXPECT_EQ(runner.heard->size(), 0u);
  come(back, 6, {1, {lease.what.id.number}});

  auto kept = back.take<leases_kept>();
  EXPECT_THAT(kept.leases, testing::ElementsAre(lease.what.id.number));
  EXPECT_FALSE(kept.is_new);
  auto again = back.take<support::launch_words>();
  EXPECT_EQ(again.first.turn, 1u);
  EXPECT_EQ(again.second, trial.actor);
  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(far_cluster_test, gives_nothing_to_a_node_that_is_out_of_reach) {
  auto back = mock_node();
  join(2);
  ask(wants(1, 1));
  auto lease = granted();
  launch(lease);
  turn_of(node);
  cut_off(node.actor);
  auto other = mock_runner();

  ask(wants(2, 1));
  tell(uut, wants(3, 1), other.actor);
  EXPECT_EQ(runner.heard->size() + other.heard->size(), 0u);
  come(back, 6, {1, {lease.what.id.number}}, "w1", 2);

  EXPECT_EQ(other.take<lease_granted>().trial.number, 3u);
  back.heard->forget();
}

TEST_F(far_cluster_test, launches_again_what_did_not_reach_a_node) {
  auto back = mock_node();
  join();
  ask(wants(1, 1));
  auto lease = granted();
  cut_off(node.actor);
  launch(lease);

  come(back, 6);

  EXPECT_EQ(back.take<leases_kept>().leases.size(), 1u);
  auto again = back.take<support::launch_words>().first;
  EXPECT_EQ(again.turn, 2u); // the order with turn 1 did not arrive
  EXPECT_EQ(again.session, 6u);
}

TEST_F(far_cluster_test, never_launches_an_attempt_again_on_a_node_that_ended_it_unheard) {
  auto anew = mock_node();
  listen();
  join();
  runner.heard->take_news<on::node_up>();
  ask(wants(1, 1));
  auto lease = granted();
  launch(lease);
  turn_of(node);

  come(anew, 6, {0, {}, 6}); // the same worker process, now with another incarnation

  auto over = runner.heard->take_news<on::ended>();
  EXPECT_EQ(over.trial, trial_id{1});
  EXPECT_EQ(over.how, end_class::preempted); // the trial does not pay for a head that slept
  auto down = runner.heard->take_news<on::node_down>();
  EXPECT_THAT(down.why, HasSubstr("began anew"));
  runner.heard->take_news<on::node_up>();
  auto kept = anew.take<leases_kept>();
  EXPECT_TRUE(kept.leases.empty());
  EXPECT_EQ(kept.session, 6u);
  EXPECT_EQ(anew.heard->size(), 0u);
}

TEST_F(far_cluster_test, ignores_a_session_that_a_later_one_has_overtaken) {
  auto back = mock_node();
  join();
  ask(wants(1, 1));
  auto lease = granted();
  launch(lease);
  turn_of(node);
  come(back, 7, {1, {lease.what.id.number}});
  back.heard->forget();

  come(node, 6, {0, {}});

  EXPECT_EQ(node.heard->size(), 0u);
  EXPECT_EQ(back.heard->size(), 0u);
}

TEST_F(far_cluster_test, frees_what_ended_while_a_node_was_out_of_reach) {
  auto back = mock_node();
  join();
  ask(wants(1, 1));
  ask(wants(2, 1));
  launch(granted());
  turn_of(node);
  cut_off(node.actor);

  come(back, 6, {1, {}});

  EXPECT_TRUE(back.take<leases_kept>().leases.empty());
  EXPECT_EQ(granted().trial.number, 2u);
}

TEST_F(far_cluster_test, loses_a_node_that_is_silent_for_too_long) {
  auto here = mock_node();
  listen();
  join();
  runner.heard->take_news<on::node_up>();
  ask(wants(1, 1));
  launch(granted());
  turn_of(node);
  cut_off(node.actor);

  tell(uut, node_silent{4, "another one"});
  EXPECT_EQ(runner.heard->size(), 0u);
  tell(uut, node_silent{5, "no heartbeat came from it for 10 s"});

  EXPECT_THAT(runner.take<remark>().text,
              AllOf(HasSubstr("worker far is lost: no heartbeat came from it for 10 s"),
                    HasSubstr("the trial that ran there is tried again")));
  auto down = runner.heard->take_news<on::node_down>();
  EXPECT_EQ(down.node, "far");
  EXPECT_EQ(down.why, "no heartbeat came from it for 10 s");
  ask(wants(1, 1, true));
  tell(uut, node_offer{"here", cpus(1), {}}, here.actor);
  runner.heard->take_news<on::node_up>();
  EXPECT_EQ(granted().trial.number, 1u);
}

/// A head whose people see remarks that concern no experiment.
struct told_cluster_test : far_cluster_test {
  std::shared_ptr<std::vector<std::string>> lines = std::make_shared<std::vector<std::string>>();

  told_cluster_test() {
    uut = keep(spawn_cluster(*system, [to = lines](const std::string& x) { to->push_back(x); }));
  }
};

TEST_F(told_cluster_test, tells_whoever_runs_it_of_a_lost_worker_without_trials) {
  auto back = mock_node();
  join();

  tell(uut, node_silent{5, "no heartbeat came from it for 10 s"});
  EXPECT_THAT(*lines,
              testing::ElementsAre("worker far is lost: no heartbeat came from it for 10 s; "
                                   "no trial ran there"));
  come(back, 6);

  back.take<leases_kept>();
  EXPECT_THAT(*lines, testing::ElementsAre(testing::_, HasSubstr("far was lost and is back")));
}

TEST_F(told_cluster_test, tells_the_experiments_whose_trials_were_there_and_no_others) {
  auto other = mock_runner();
  auto back = mock_node();
  listen();
  tell(uut, other.actor);
  join(2);
  ask(wants(1, 1));
  ask(wants(2, 1));
  runner.heard->forget();
  other.heard->forget();

  tell(uut, node_silent{5, "silence"});
  EXPECT_THAT(runner.take<remark>().text, HasSubstr("the 2 trials that ran there are tried again"));
  runner.heard->take_news<on::node_down>();
  other.heard->take_news<on::node_down>();
  come(back, 6, {}, "w1", 2);

  back.heard->forget();
  runner.heard->take_news<on::node_up>();
  EXPECT_THAT(runner.take<remark>().text, HasSubstr("far was lost and is back"));
  other.heard->take_news<on::node_up>();
  EXPECT_EQ(other.heard->size(), 0u);
  EXPECT_THAT(*lines, testing::IsEmpty());
}

TEST_F(far_cluster_test, has_a_node_that_comes_back_too_late_end_what_it_runs) {
  auto back = mock_node();
  listen();
  join();
  runner.heard->take_news<on::node_up>();
  ask(wants(1, 1));
  auto lease = granted();
  launch(lease);
  turn_of(node);
  tell(uut, node_silent{5, "silence"});
  EXPECT_THAT(runner.take<remark>().text, HasSubstr("worker far is lost: silence"));
  runner.heard->take_news<on::node_down>();

  come(back, 6, {1, {lease.what.id.number}});

  auto kept = back.take<leases_kept>();
  EXPECT_TRUE(kept.leases.empty());
  EXPECT_TRUE(kept.is_new);
  runner.heard->take_news<on::node_up>();
  EXPECT_THAT(runner.take<remark>().text, HasSubstr("worker far was lost and is back"));
  ask(wants(1, 1));
  launch(granted());
  EXPECT_EQ(turn_of(back), 2u); // larger than any turn of its former launches
}

TEST_F(far_cluster_test, loses_a_node_whose_name_another_worker_takes) {
  auto other = mock_node();
  listen();
  join();
  runner.heard->take_news<on::node_up>();

  come(other, 6, {}, "w2");

  runner.heard->take_news<on::node_down>();
  runner.heard->take_news<on::node_up>();
  other.take<leases_kept>();
}

TEST_F(far_cluster_test, tells_a_node_that_was_away_which_jobs_are_over) {
  auto back = mock_node();
  join();
  cut_off(node.actor);
  tell(uut, job_over{"digits-1"});

  come(back, 6);

  back.take<leases_kept>();
  EXPECT_EQ(back.take<job_over>().job, "digits-1");
}

TEST_F(far_cluster_test, tells_a_node_that_was_away_which_pauses_are_over) {
  auto back = mock_node();
  join();
  tell(uut, pause_dropped{"far", "digits-1", "memory:a"});
  EXPECT_EQ(node.take<pause_dropped>().location, "memory:a");
  tell(uut, pause_dropped{"elsewhere", "digits-1", "memory:a"});
  cut_off(node.actor);
  tell(uut, pause_dropped{"far", "digits-1", "memory:b"});

  come(back, 6);

  back.take<leases_kept>();
  EXPECT_EQ(back.take<pause_dropped>().location, "memory:b");
}

TEST_F(far_cluster_test, tells_its_runners_of_a_node_that_is_about_to_go) {
  listen();
  join();
  runner.heard->take_news<on::node_up>();

  tell(uut, node_leaving{"far"});
  tell(uut, node_leaving{"far"});

  EXPECT_EQ(runner.heard->take_news<on::node_leaving>().node, "far");
}

TEST_F(far_cluster_test, revokes_again_what_a_node_may_not_have_heard) {
  auto back = mock_node();
  join();
  ask(wants(1, 1));
  auto lease = granted();
  launch(lease);
  turn_of(node);
  cut_off(node.actor);
  dismiss(runner.actor);

  come(back, 6, {1, {lease.what.id.number}});

  back.take<leases_kept>();
  turn_of(back);
  EXPECT_EQ(back.take<lease_revoked>().lease, lease.what.id.number);
}

TEST_F(far_cluster_test, has_a_node_that_is_lost_again_and_again_wait) {
  listen();
  std::uint64_t session = 5;
  join();
  runner.heard->take_news<on::node_up>();
  for (int i = 0; i < 2; ++i) {
    lose_again(session);
    come(node, ++session);
    node.take<leases_kept>();
    runner.heard->take_news<on::node_up>();
  }

  tell(uut, node_silent{session, "silence"});
  EXPECT_THAT(runner.heard->take_news<on::node_down>().why,
              AllOf(HasSubstr("lost 3 times"), HasSubstr("no trials for 10 s")));
  come(node, ++session);
  node.take<leases_kept>();
  EXPECT_THAT(runner.take<remark>().text, HasSubstr("no trial goes there for 10 s"));
  ask(wants(1, 1, true));
  pass(9'900ms);
  EXPECT_THAT(runner.take<requests_unmet>().text, HasSubstr("the cluster has no nodes"));
  EXPECT_EQ(runner.heard->size(), 0u);
  pass(200ms);

  runner.heard->take_news<on::node_up>();
  EXPECT_EQ(granted().trial.number, 1u);
  EXPECT_EQ(runner.take<requests_unmet>().text, "");
}

TEST_F(far_cluster_test, tells_no_more_of_a_node_that_comes_and_goes_than_what_is_new) {
  listen();
  std::uint64_t session = 5;
  join();
  for (int i = 0; i < 8; ++i) {
    tell(uut, node_silent{session, "silence"});
    come(node, ++session);
    node.take<leases_kept>();
  }
  runner.heard->forget();

  // The wait is still 300 s.
  tell(uut, node_silent{session, "silence"});
  come(node, ++session);

  node.take<leases_kept>();
  EXPECT_EQ(runner.heard->size(), 0u);
}

TEST_F(far_cluster_test, does_not_wait_at_its_end_for_a_node_that_is_away) {
  listen();
  join();
  runner.heard->take_news<on::node_up>();
  cut_off(node.actor);

  ask_now<std::uint64_t>(uut, drain_atom_v);

  runner.heard->take_news<on::node_down>();
}

} // namespace
} // namespace tune
