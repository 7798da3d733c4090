// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/cluster_plan.hpp"

#include "tune/core/cluster/node_labels.hpp"
#include "tune/core/resource/demands.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The commands of one kind among all.
template <class Command>
std::vector<Command> only(const cluster_commands& all) {
  std::vector<Command> result;
  for (const auto& x : all) {
    if (const auto* found = std::get_if<Command>(&x))
      result.push_back(*found);
  }
  return result;
}

/// The experiments' events of one kind among all.
template <class Event>
std::vector<Event> events(const cluster_commands& all) {
  std::vector<Event> result;
  for (const auto& x : only<cluster_cmd::tell_event>(all)) {
    if (const auto* found = std::get_if<Event>(&x.what))
      result.push_back(*found);
  }
  return result;
}

std::vector<std::string> texts(const cluster_commands& all) {
  std::vector<std::string> result;
  for (const auto& x : only<cluster_cmd::tell>(all))
    result.push_back(x.text);
  return result;
}

/// Experiment 1 hears of nodes.
struct cluster_plan_test : testing::Test {
  cluster_plan uut;
  instant now{1h};

  cluster_plan_test() { EXPECT_THAT(uut.enrol(1), IsEmpty()); }

  static node_profile cpus(double x) { return {{amount::of(x), {}, 0, {}}, {}}; }

  /// A node of the worker process "w1" that joined first in session 5, unless `has` says otherwise.
  cluster_commands come(std::uint64_t session, node_holdings has = {5, 0, {}}, double cpu = 1) {
    return uut.arrive({"far", "w1", session, std::move(has)}, cpus(cpu), now);
  }
  cluster_commands ask(std::uint64_t owner, std::uint64_t trial) {
    return uut.enter({owner, trial_id{trial}, {{cpus(1).capacity}, {}}});
  }
  /// Has a lease granted, or fails the test.
  lease_id granted(std::uint64_t owner, std::uint64_t trial) {
    const auto all = only<cluster_cmd::grant>(ask(owner, trial));
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? lease_id{} : all.front().what.id;
  }
  cluster_commands silent(std::uint64_t session) { return uut.silent(session, "silence", now); }
  /// The node is lost for the third time of late.
  void lose_thrice() {
    for (std::uint64_t session = 5; session < 8; ++session) {
      static_cast<void>(come(session, {session, 0, {}}));
      static_cast<void>(silent(session));
    }
  }
};

TEST_F(cluster_plan_test, tells_whose_limit_of_memory_a_node_cannot_enforce) {
  const resources offer{amount::of(4), {}, 4'000, {}};
  const node_profile profile{offer, {memory_only_counted_label}};
  static_cast<void>(uut.arrive({"far", "w1", 5, {5, 0, {}}}, profile, now));
  const auto limited = uut.enter({1, trial_id{0}, {{{amount::of(1), {}, 1'000, {}}}, {}}});
  ASSERT_EQ(only<cluster_cmd::grant>(limited).size(), 1u);

  const auto told = only<cluster_cmd::tell>(limited);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front().owner, 1u);
  EXPECT_THAT(told.front().text, HasSubstr("memory: only counted, not enforced at node far"));
  EXPECT_FALSE(told.front().about.empty()) << "told once";
  EXPECT_THAT(only<cluster_cmd::tell>(ask(1, 1)), IsEmpty()) << "without a limit";
}

TEST_F(cluster_plan_test, tells_whom_room_was_made_for_once_a_trial_has_paused) {
  static_cast<void>(uut.enrol(2));
  static_cast<void>(uut.stand(1, {"low", "alice", 0, 1, true}));
  static_cast<void>(uut.stand(2, {"high", "bob", 5, 1, true}));
  static_cast<void>(come(5));
  const auto lease = granted(1, 0);
  static_cast<void>(uut.launch(lease, {1, 1}));

  const auto asked = ask(2, 0);
  const auto wanted = only<cluster_cmd::make_room>(asked);
  ASSERT_EQ(wanted.size(), 1u);
  EXPECT_EQ(wanted[0].for_whom, "high of bob, priority 5");
  EXPECT_THAT(texts(asked), IsEmpty()) << "perhaps it cannot save";

  EXPECT_THAT(texts(uut.note_room_made(1, wanted[0].for_whom)),
              ElementsAre(HasSubstr("those of high of bob, priority 5: some of this experiment"
                                    " save and pause")));
  EXPECT_EQ(uut.view_of(1).made_room, 1u);
}

TEST_F(cluster_plan_test, announces_a_node_and_tells_it_that_nothing_of_it_counts) {
  const auto out = come(5);

  EXPECT_EQ(only<cluster_cmd::attend>(out).size(), 1u);
  const auto kept = only<cluster_cmd::keep>(out);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_TRUE(kept[0].is_new && kept[0].leases.empty());
  EXPECT_EQ(kept[0].session, 5u);
  EXPECT_EQ(events<on::node_up>(out).size(), 1u);
}

TEST_F(cluster_plan_test, announces_a_node_with_the_labels_and_taints_that_people_gave_it) {
  auto what = cpus(1);
  what.labels = {node_label("far"), given_label("zone=b"), given_taint("spot")};

  const auto told = events<on::node_up>(uut.arrive({"far", "w1", 5, {5, 0, {}}}, what, now));

  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].labels, std::vector<std::string>{"zone=b"});
  EXPECT_EQ(told[0].taints, std::vector<std::string>{"spot"});
}

TEST_F(cluster_plan_test, tells_whoever_hears_later_of_the_nodes_that_are_there) {
  static_cast<void>(come(5));

  EXPECT_EQ(events<on::node_up>(uut.enrol(2)).size(), 1u);
}

TEST_F(cluster_plan_test, refuses_what_no_node_could_grant) {
  const auto out = ask(1, 1);

  ASSERT_EQ(only<cluster_cmd::refuse>(out).size(), 1u);
  EXPECT_EQ(only<cluster_cmd::refuse>(out)[0].trial, trial_id{1});
}

TEST_F(cluster_plan_test, sends_an_order_with_the_numbers_of_its_node) {
  static_cast<void>(come(5));
  const auto which = granted(1, 1);

  const auto out = only<cluster_cmd::order>(uut.launch(which, {1, 1}));

  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].node, "far");
  EXPECT_EQ(out[0].turn, 1u);
  EXPECT_EQ(out[0].session, 5u);
}

TEST_F(cluster_plan_test, launches_nothing_on_a_node_that_was_lost_meanwhile) {
  static_cast<void>(come(5));
  const auto which = granted(1, 1);
  static_cast<void>(silent(5));

  EXPECT_THAT(uut.launch(which, {1, 1}), IsEmpty());
}

TEST_F(cluster_plan_test, grants_nothing_on_a_node_that_is_out_of_reach) {
  static_cast<void>(come(5, {5, 0, {}}, 2));
  static_cast<void>(granted(1, 1));
  EXPECT_THAT(uut.cut_off("far", "it is cut off", now), IsEmpty());

  EXPECT_THAT(ask(1, 2), IsEmpty());
  EXPECT_THAT(ask(2, 3), IsEmpty());
  const auto back = come(6, {5, 0, {}}, 2);

  const auto given = only<cluster_cmd::grant>(back);
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given[0].trial, trial_id{3}); // its owner has nothing yet
}

TEST_F(cluster_plan_test, repeats_what_a_node_may_not_have_heard) {
  static_cast<void>(come(5, {5, 0, {}}, 3));
  const auto known = granted(1, 1);
  const auto missed = granted(1, 2);
  const auto ended = granted(1, 3);
  static_cast<void>(uut.launch(known, {1, 1}));
  static_cast<void>(uut.launch(ended, {1, 3}));
  static_cast<void>(uut.cut_off("far", "it is cut off", now));
  static_cast<void>(uut.launch(missed, {1, 2}));
  static_cast<void>(uut.end_job("digits"));
  static_cast<void>(uut.drop_pause("far", {"digits", "memory:1"}));

  const auto out = come(6, {5, 2, {known}}, 3);

  EXPECT_THAT(only<cluster_cmd::keep>(out)[0].leases, ElementsAre(known, missed));
  const auto orders = only<cluster_cmd::order>(out);
  ASSERT_EQ(orders.size(), 2u);
  EXPECT_EQ(orders[0].lease, known);
  EXPECT_EQ(orders[0].turn, 1u);
  EXPECT_EQ(orders[1].lease, missed);
  EXPECT_EQ(orders[1].turn, 4u);
  EXPECT_EQ(orders[1].session, 6u);
  EXPECT_EQ(only<cluster_cmd::forget_order>(out)[0].lease, ended);
  EXPECT_EQ(only<cluster_cmd::end_job>(out)[0].job, "digits");
  EXPECT_EQ(only<cluster_cmd::drop_pause>(out)[0].what.location, "memory:1");
}

TEST_F(cluster_plan_test, has_no_trial_pay_for_a_worker_that_began_anew) {
  static_cast<void>(come(5));
  static_cast<void>(uut.launch(granted(1, 1), {1, 1}));

  const auto out = come(6, {6, 0, {}});

  const auto ended = events<on::ended>(out);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].how, end_class::preempted);
  EXPECT_THAT(events<on::node_down>(out)[0].why, HasSubstr("began anew"));
  EXPECT_EQ(events<on::node_up>(out).size(), 1u);
  EXPECT_TRUE(only<cluster_cmd::keep>(out)[0].is_new);
}

TEST_F(cluster_plan_test, ignores_a_session_that_a_later_one_has_overtaken) {
  static_cast<void>(come(5));
  static_cast<void>(come(7));

  EXPECT_THAT(come(6), IsEmpty());
  EXPECT_THAT(silent(5), IsEmpty());
}

TEST_F(cluster_plan_test, tells_of_the_loss_and_the_return_of_a_worker_where_trials_were) {
  static_cast<void>(uut.enrol(2));
  static_cast<void>(come(5));
  static_cast<void>(granted(2, 1));

  const auto lost = only<cluster_cmd::tell>(silent(5));
  const auto back = only<cluster_cmd::tell>(come(6, {6, 0, {}}));

  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].owner, 2u);
  EXPECT_THAT(lost[0].text, HasSubstr("worker far is lost: silence"));
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].owner, 2u);
  EXPECT_THAT(back[0].text, HasSubstr("is back"));
}

TEST_F(cluster_plan_test, tells_whoever_runs_it_of_a_worker_that_nobody_used) {
  static_cast<void>(come(5));

  EXPECT_EQ(only<cluster_cmd::say>(silent(5)).size(), 1u);
  EXPECT_EQ(only<cluster_cmd::say>(come(6, {6, 0, {}})).size(), 1u);
}

TEST_F(cluster_plan_test, has_a_node_rest_that_is_lost_again_and_again) {
  lose_thrice();

  const auto out = come(8, {8, 0, {}});

  EXPECT_THAT(events<on::node_up>(out), IsEmpty());
  EXPECT_THAT(texts(out), ElementsAre(HasSubstr("lost 3 times of late")));
  const auto rests = only<cluster_cmd::end_rest_after>(out);
  ASSERT_EQ(rests.size(), 1u);
  EXPECT_EQ(rests[0].wait, 10s);
  EXPECT_THAT(uut.end_rest("far", 7), IsEmpty());
  EXPECT_EQ(events<on::node_up>(uut.end_rest("far", 8)).size(), 1u);
  EXPECT_THAT(uut.end_rest("far", 8), IsEmpty());
}

TEST_F(cluster_plan_test, grants_nothing_on_a_node_whose_rest_ends_while_it_is_away) {
  lose_thrice();
  static_cast<void>(come(8, {8, 0, {}}));
  static_cast<void>(uut.enter({1, trial_id{1}, {{cpus(1).capacity}, {}}, true}));
  static_cast<void>(uut.cut_off("far", "it is cut off", now));

  EXPECT_THAT(only<cluster_cmd::grant>(uut.end_rest("far", 8)), IsEmpty());

  EXPECT_EQ(only<cluster_cmd::grant>(come(9, {8, 0, {}})).size(), 1u);
}

TEST_F(cluster_plan_test, does_not_announce_the_loss_of_a_node_that_left_before_its_rest_ended) {
  lose_thrice();
  static_cast<void>(come(8, {8, 0, {}}));
  EXPECT_THAT(events<on::node_leaving>(uut.leave("far")), IsEmpty());
  EXPECT_THAT(uut.end_rest("far", 8), IsEmpty());

  EXPECT_THAT(events<on::node_down>(uut.lost("far", "it left")), IsEmpty());
}

TEST_F(cluster_plan_test, says_of_a_node_that_is_killed_as_it_leaves_what_becomes_of_its_trials) {
  static_cast<void>(come(5));
  static_cast<void>(granted(1, 1));
  static_cast<void>(uut.leave("far"));

  const auto out = uut.silent(5, "it was killed", now);

  EXPECT_THAT(texts(out), ElementsAre(HasSubstr("worker far, which was leaving, is lost: it was "
                                                "killed; the trial that ran there")));
  EXPECT_THAT(texts(out), ElementsAre(HasSubstr("no failure is counted")));
  const auto down = events<on::node_down>(out);
  ASSERT_EQ(down.size(), 1u);
  EXPECT_TRUE(down[0].is_lost);
}

TEST_F(cluster_plan_test, tells_a_node_that_left_from_one_that_was_lost) {
  static_cast<void>(come(5));
  static_cast<void>(uut.leave("far"));
  const auto left = events<on::node_down>(uut.lost("far", "it left"));
  static_cast<void>(come(6, {6, 0, {}}));
  const auto lost = events<on::node_down>(silent(6));

  ASSERT_EQ(left.size(), 1u);
  EXPECT_FALSE(left[0].is_lost);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_TRUE(lost[0].is_lost);
}

TEST_F(cluster_plan_test, counts_what_still_runs_on_a_node_that_is_leaving) {
  static_cast<void>(uut.arrive({"near", {}, 0, {}}, cpus(2), now));
  auto there = [&](std::uint64_t trial) {
    const auto wish
        = lease_wish{1, trial_id{trial}, {{cpus(1).capacity}, {}}, false, {node_label("far")}};
    return only<cluster_cmd::grant>(uut.enter(wish)).at(0).what.id;
  };
  static_cast<void>(come(5, {5, 0, {}}, 3));
  const auto first = there(1);
  static_cast<void>(there(2));
  EXPECT_THAT(uut.status().leaving, IsEmpty());
  EXPECT_EQ(uut.status().total.cpu, amount::of(5));
  static_cast<void>(uut.leave("far"));

  EXPECT_THAT(uut.status().leaving, ElementsAre("far"));
  EXPECT_EQ(uut.status().nodes, 2u);
  EXPECT_EQ(uut.status().used.cpu, amount::of(2));
  EXPECT_EQ(uut.status().total.cpu, amount::of(4)) << "what it no longer offers is left out";

  static_cast<void>(uut.over(first));
  EXPECT_EQ(uut.status().used.cpu, amount::of(1));
  EXPECT_EQ(uut.status().total.cpu, amount::of(3));
  static_cast<void>(uut.lost("far", "it left"));
  EXPECT_EQ(uut.status().nodes, 1u);
  EXPECT_THAT(uut.status().leaving, IsEmpty());
  EXPECT_EQ(uut.status().total.cpu, amount::of(2));
  EXPECT_EQ(uut.status().used.cpu, amount::of(0));
}

TEST_F(cluster_plan_test, grants_elsewhere_what_a_leaving_node_was_best_for) {
  static_cast<void>(come(5));
  static_cast<void>(granted(1, 1));
  static_cast<void>(uut.arrive({"near", {}, 0, {}}, cpus(2), now));
  auto wanted = lease_wish{1, trial_id{2}, {{cpus(1).capacity}, {}}, false, {}, node_label("far")};
  EXPECT_THAT(uut.enter(wanted), IsEmpty());

  const auto out = uut.leave("far");

  EXPECT_EQ(events<on::node_leaving>(out).size(), 1u);
  EXPECT_EQ(only<cluster_cmd::grant>(out)[0].node, "near");
  EXPECT_THAT(uut.leave("far"), IsEmpty());
}

TEST_F(cluster_plan_test, revokes_the_leases_of_an_experiment_that_is_gone) {
  static_cast<void>(come(5));
  const auto which = granted(1, 1);

  const auto out = only<cluster_cmd::revoke>(uut.forget(1));

  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].lease, which);
  EXPECT_EQ(out[0].node, "far");
}

TEST_F(cluster_plan_test, revokes_the_other_ranks_where_the_node_of_one_is_lost) {
  static_cast<void>(come(5));
  static_cast<void>(uut.arrive({"near", {}, 0, {}}, cpus(1), now));
  const auto one = cpus(1).capacity;
  const auto all = only<cluster_cmd::grant>(uut.enter({1, trial_id{1}, {{one, one}, {}}}));
  ASSERT_EQ(all.size(), 1u);
  const auto& whole = all[0].what;
  const auto& second = whole.bundles[1].node;
  const auto part = uut.begin_rank(whole.id, 1, second);
  ASSERT_TRUE(part);
  EXPECT_EQ(uut.node_of(*part), second);
  EXPECT_FALSE(uut.begin_rank(whole.id, 2, "gone"));

  const auto out = only<cluster_cmd::revoke>(uut.lost(second, "it left"));

  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].lease, whole.id);
  EXPECT_EQ(only<cluster_cmd::forget_order>(uut.over(whole.id)).size(), 1u);
}

TEST_F(cluster_plan_test, leaves_a_node_out_for_a_while_that_was_not_ready) {
  static_cast<void>(come(5));
  const auto which = granted(1, 1);

  const auto out = uut.decline(which, "no space", false);
  static_cast<void>(uut.over(which));

  EXPECT_THAT(texts(out), ElementsAre("node far is not ready for it: no space; no trial goes "
                                      "there for 1 s"));
  const auto holds = only<cluster_cmd::end_hold_after>(out);
  ASSERT_EQ(holds.size(), 1u);
  EXPECT_THAT(ask(1, 2), IsEmpty());
  EXPECT_EQ(only<cluster_cmd::grant>(uut.end_hold(1, "far", holds[0].rest.times)).size(), 1u);
}

TEST_F(cluster_plan_test, interrupts_an_experiment_that_no_node_is_ever_ready_for) {
  static_cast<void>(come(5));
  cluster_commands out;
  for (unsigned times = 1; times <= 3; ++times) {
    EXPECT_THAT(events<on::interrupted>(out), IsEmpty());
    const auto which = granted(1, times);
    out = uut.decline(which, "no space", false);
    static_cast<void>(uut.over(which));
    static_cast<void>(uut.end_hold(1, "far", times));
  }

  EXPECT_EQ(events<on::interrupted>(out).size(), 1u);
}

TEST_F(cluster_plan_test, looks_once_for_what_no_node_can_grant) {
  const lease_wish large{1, trial_id{1}, {{cpus(2).capacity}, {}}, true};

  const auto first = uut.enter(large);
  const auto again = uut.enter({1, trial_id{2}, large.what, true});

  EXPECT_EQ(only<cluster_cmd::look_after>(first).size(), 1u);
  EXPECT_THAT(again, IsEmpty());
  EXPECT_EQ(only<cluster_cmd::tell_unmet>(uut.look_for_unmet()).size(), 1u);
  EXPECT_THAT(only<cluster_cmd::tell_unmet>(come(5, {5, 0, {}}, 2))[0].text, IsEmpty());
}

TEST_F(cluster_plan_test, tells_at_once_what_the_cluster_has_after_a_loss) {
  static_cast<void>(come(5));
  static_cast<void>(uut.arrive({"near", "w2", 6, {6, 0, {}}}, cpus(1), now));
  static_cast<void>(uut.enter({1, trial_id{1}, {{cpus(3).capacity}, {}}, true}));
  const auto before = only<cluster_cmd::tell_unmet>(uut.look_for_unmet());
  ASSERT_EQ(before.size(), 1u);
  EXPECT_THAT(before[0].text, HasSubstr("the cluster has 2 nodes"));

  const auto after = only<cluster_cmd::tell_unmet>(silent(5));

  ASSERT_EQ(after.size(), 1u);
  EXPECT_THAT(after[0].text, testing::Not(HasSubstr("2 nodes")));
  EXPECT_EQ(only<cluster_cmd::tell_unmet>(uut.leave("near")).size(), 1u);
}

TEST_F(cluster_plan_test, tells_once_which_worker_lacks_a_trainable) {
  static_cast<void>(come(5));
  const lease_wish wanted{
      1, trial_id{1}, {{cpus(1).capacity}, {}}, true, {trainable_label("mine")}};

  EXPECT_THAT(texts(uut.enter(wanted)), ElementsAre(HasSubstr("worker far has no trainable mine")));
  EXPECT_THAT(texts(uut.enter({1, trial_id{2}, wanted.what, true, wanted.labels})), IsEmpty());
}

TEST_F(cluster_plan_test, is_dissolved_once_its_last_node_is_gone) {
  static_cast<void>(come(5));
  static_cast<void>(uut.arrive({"near", {}, 0, {}}, cpus(1), now));
  static_cast<void>(uut.cut_off("far", "it is cut off", now));

  const auto out = uut.dissolve();

  EXPECT_EQ(only<cluster_cmd::drain>(out).size(), 2u);
  EXPECT_EQ(events<on::node_down>(out)[0].node, "far"); // nobody waits for it
  EXPECT_THAT(only<cluster_cmd::all_gone>(out), IsEmpty());
  EXPECT_EQ(only<cluster_cmd::all_gone>(uut.lost("near", "it left")).size(), 1u);
  EXPECT_EQ(only<cluster_cmd::all_gone>(uut.dissolve()).size(), 1u);
}

// -- Attempts of the head before this one.

/// The head before this one had launched an attempt of trial 1 on the node "far".
struct awaiting_cluster_plan_test : cluster_plan_test {
  static constexpr lease_id old{40};

  awaiting_cluster_plan_test() { uut = cluster_plan{1000}; }

  void SetUp() override {
    static_cast<void>(uut.enrol(1));
    EXPECT_THAT(await(old, 1, true), IsEmpty());
  }
  cluster_commands await(lease_id which, std::uint64_t trial, bool has_begun) {
    return uut.await({1,
                      trial_id{trial},
                      {1, trial},
                      {which, {{"far", cpus(1).capacity, {}}}},
                      {{cpus(1).capacity}, {}},
                      {},
                      has_begun});
  }
  /// The node comes back with what it holds, over its ninth session.
  cluster_commands come_back(std::vector<lease_id> has, double cpu = 1) {
    return come(9, {5, 3, std::move(has)}, cpu);
  }
};

TEST_F(awaiting_cluster_plan_test, goes_on_with_what_a_node_brings_back) {
  const auto out = come_back({old});

  EXPECT_THAT(only<cluster_cmd::keep>(out).at(0).leases, ElementsAre(old));
  const auto orders = only<cluster_cmd::order>(out);
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].lease, old);
  EXPECT_EQ(orders[0].session, 9u);
  EXPECT_THAT(events<on::ended>(out), IsEmpty());
  EXPECT_TRUE(uut.awaited().empty());
}

TEST_F(awaiting_cluster_plan_test, gives_nobody_else_the_resources_of_what_goes_on) {
  EXPECT_THAT(
      only<cluster_cmd::refuse>(uut.enter({1, trial_id{2}, {{cpus(1).capacity}, {}}, true})),
      IsEmpty());

  EXPECT_THAT(only<cluster_cmd::grant>(come_back({old})), IsEmpty());
  const auto granted = only<cluster_cmd::grant>(uut.over(old));

  ASSERT_EQ(granted.size(), 1u);
  EXPECT_EQ(granted[0].trial, trial_id{2});
  EXPECT_GE(granted[0].what.id, lease_id{1000});
}

TEST_F(awaiting_cluster_plan_test, launches_nothing_again) {
  EXPECT_THAT(await({41}, 2, false), IsEmpty());

  const auto out = come_back({old}, 2);

  EXPECT_THAT(only<cluster_cmd::keep>(out).at(0).leases, ElementsAre(old));
  EXPECT_EQ(only<cluster_cmd::order>(out).size(), 1u);
  ASSERT_EQ(events<on::ended>(out).size(), 1u);
  EXPECT_EQ(events<on::ended>(out)[0].how, end_class::preempted);
  EXPECT_THAT(events<on::ended>(out)[0].detail, HasSubstr("had not reached node far"));
}

TEST_F(awaiting_cluster_plan_test, ends_what_began_and_is_not_there_any_more) {
  const auto ended = events<on::ended>(come_back({}));

  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].how, end_class::preempted);
}

TEST_F(awaiting_cluster_plan_test, ends_what_a_node_had_that_began_anew) {
  EXPECT_THAT(await({41}, 2, false), IsEmpty());

  const auto out = come(9, {9, 0, {}});

  EXPECT_EQ(events<on::ended>(out).size(), 2u);
  EXPECT_THAT(only<cluster_cmd::order>(out), IsEmpty());
  EXPECT_THAT(only<cluster_cmd::keep>(out).at(0).leases, IsEmpty());
}

TEST_F(awaiting_cluster_plan_test, waits_for_a_time_only) {
  EXPECT_EQ(only<cluster_cmd::end_wait_after>(uut.begin_wait(30s)).at(0).wait, 30s);

  EXPECT_EQ(events<on::ended>(uut.end_wait()).size(), 1u);
  EXPECT_THAT(only<cluster_cmd::keep>(come_back({old})).at(0).leases, IsEmpty());
}

TEST_F(awaiting_cluster_plan_test, awaits_nothing_once_nodes_are_let_in) {
  static_cast<void>(uut.begin_wait(30s));

  EXPECT_EQ(events<on::ended>(await({41}, 2, true)).size(), 1u);
}

TEST_F(awaiting_cluster_plan_test, does_not_wait_for_what_was_given_up) {
  EXPECT_EQ(only<cluster_cmd::forget_order>(uut.over(old)).size(), 1u);

  EXPECT_THAT(uut.begin_wait(30s), IsEmpty());
  EXPECT_THAT(only<cluster_cmd::keep>(come_back({old})).at(0).leases, IsEmpty());
}

TEST_F(awaiting_cluster_plan_test, takes_a_node_back_again_when_its_line_breaks_later) {
  static_cast<void>(come_back({old}));
  static_cast<void>(uut.cut_off("far", "it broke", now));

  const auto out = come(10, {5, 3, {old}});

  EXPECT_THAT(only<cluster_cmd::keep>(out).at(0).leases, ElementsAre(old));
  EXPECT_FALSE(only<cluster_cmd::keep>(out).at(0).is_new);
}

} // namespace
} // namespace tune
