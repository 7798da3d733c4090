// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/lease_book.hpp"

#include "tune/core/cluster/node_labels.hpp"
#include "tune/core/resource/demands.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

resources cpus(double x) {
  return {amount::of(x), {}, 0, {}};
}

lease_wish wants(std::uint64_t owner, std::uint64_t trial, double cpu, bool waits = false) {
  return {owner, trial_id{trial}, {{cpus(cpu)}, {}}, waits};
}

struct lease_book_test : testing::Test {
  lease_book uut;

  void enter(const lease_wish& what) { EXPECT_FALSE(uut.enter(what).is_refused); }
  /// Grants one request, or fails the test.
  lease_book::grant granted() {
    auto all = uut.grant_what_fits();
    EXPECT_THAT(all, SizeIs(1));
    return all.empty() ? lease_book::grant{} : all.front();
  }
};

TEST_F(lease_book_test, grants_what_was_asked_for) {
  uut.set_node("a", cpus(1), {});

  const auto entered = uut.enter(wants(7, 1, 1));
  const auto x = granted();

  EXPECT_FALSE(entered.why);
  EXPECT_TRUE(entered.is_first);
  EXPECT_EQ(x.owner, 7u);
  EXPECT_EQ(x.trial, trial_id{1});
  EXPECT_EQ(x.node, "a");
  EXPECT_EQ(uut.find(x.what.id)->owner, 7u);
  EXPECT_EQ(uut.used(), cpus(1));
}

TEST_F(lease_book_test, refuses_what_no_node_could_grant_unless_it_may_wait) {
  uut.set_node("a", cpus(1), {});

  const auto refused = uut.enter(wants(7, 1, 2));
  const auto entered = uut.enter(wants(7, 2, 2, true));

  EXPECT_TRUE(refused.is_refused && refused.why);
  EXPECT_FALSE(entered.is_refused);
  EXPECT_TRUE(entered.why && entered.is_first);
  EXPECT_THAT(uut.unmet(), SizeIs(1));
  uut.set_node("b", cpus(2), {});
  EXPECT_EQ(granted().trial, trial_id{2});
}

TEST_F(lease_book_test, names_the_quota_first_where_no_node_could_grant_it_either) {
  allocation_limits limits;
  limits.quotas["alice"].cpu = amount::of(2);
  uut = lease_book{1, limits};
  uut.set_node("a", cpus(1), {});
  uut.stand(7, {"x", "alice"});
  const auto quota = HasSubstr("the quota of alice, 2 CPU, never allows 3 CPU");

  const auto entered = uut.enter(wants(7, 1, 3, true));

  ASSERT_TRUE(entered.why);
  EXPECT_THAT(entered.why->detail, quota);
  const auto told = uut.unmet();
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_THAT(told[0].text, quota);
  EXPECT_THAT(told[0].text, Not(HasSubstr("when a worker is there")));
  EXPECT_THAT(uut.enter(wants(7, 2, 3)).why->detail, quota);
}

TEST_F(lease_book_test, refuses_what_was_possible_before_a_node_went) {
  uut.set_node("a", cpus(2), {});
  uut.set_node("b", cpus(1), {});
  enter(wants(7, 1, 2));

  uut.remove_node("a");

  EXPECT_TRUE(uut.enter(wants(7, 2, 2)).is_refused);
}

TEST_F(lease_book_test, has_one_request_of_each_trial) {
  uut.set_node("a", cpus(4), {});
  enter(wants(7, 1, 1));
  enter(wants(7, 1, 2));

  EXPECT_EQ(granted().what.bundles.front().what, cpus(2));
}

TEST_F(lease_book_test, waits_for_the_best_node_as_long_as_it_may_come) {
  uut.set_node("a", cpus(1), {});
  uut.set_node("b", cpus(1), {});
  auto wanted = wants(7, 1, 1);
  wanted.best = node_label("b");
  enter(wanted);
  EXPECT_EQ(granted().node, "b");
  wanted.trial = trial_id{2};
  enter(wanted);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());

  uut.remove_node("b");
  uut.drop_label(node_label("b"));

  EXPECT_EQ(granted().node, "a");
}

TEST_F(lease_book_test, names_the_node_that_trials_wait_for_until_it_is_ready) {
  uut.set_node("a", cpus(1), {});
  uut.set_node("b", cpus(2), {});
  uut.set_node("c", cpus(9), {});
  uut.stand(7, {"x", "alice"});
  uut.hold("b", 7);
  uut.hold("c", 8);
  auto wanted = wants(7, 1, 1);
  wanted.labels = {require_word("node == a or node == b")};
  enter(wanted);
  EXPECT_EQ(granted().node, "a");
  wanted.trial = trial_id{2};
  enter(wanted);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());

  EXPECT_EQ(uut.view_of(7).why, "trials wait until node b is ready for them");
  uut.unhold("b", 7);
  EXPECT_EQ(granted().node, "b");
  wanted.trial = trial_id{3};
  wanted.what = {{cpus(2)}};
  enter(wanted);
  uut.hold("b", 7);
  EXPECT_EQ(uut.view_of(7).why,
            "trials wait for room on the nodes that may run them: it holds 2 of 3 CPU itself");
}

resources cpus_and_gpus(double cpu, double gpu) {
  return {amount::of(cpu), amount::of(gpu), 0, {}};
}

TEST_F(lease_book_test, says_of_which_kind_too_little_is_free) {
  uut.set_node("a", cpus_and_gpus(2, 2), {});
  uut.stand(7, {"x", "alice"});
  auto wanted = wants(7, 1, 1);
  wanted.what = {{cpus_and_gpus(2, 1)}, {}};
  enter(wanted);
  granted();
  wanted.trial = trial_id{2};
  enter(wanted);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());

  EXPECT_EQ(uut.view_of(7).why, "trials wait for room: it holds 2 of 2 CPU itself");
}

TEST_F(lease_book_test, says_that_no_node_has_all_of_it) {
  uut.set_node("a", cpus(3), {});
  uut.set_node("b", cpus_and_gpus(1, 2), {});
  uut.stand(7, {"x", "alice"});
  auto wanted = wants(7, 1, 1);
  wanted.what = {{cpus_and_gpus(1, 1)}, {}};
  enter(wanted);
  EXPECT_EQ(granted().node, "b");
  wanted.trial = trial_id{2};
  enter(wanted);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());

  EXPECT_EQ(uut.view_of(7).why, "trials wait for room: no node has 1 CPU, 1 GPU free at once");
}

TEST_F(lease_book_test, says_that_the_nodes_have_no_room_for_all_bundles) {
  uut.set_node("a", cpus(3), {});
  uut.set_node("b", cpus_and_gpus(1, 2), {});
  uut.stand(7, {"x", "alice"});
  auto wanted = wants(7, 1, 1);
  wanted.what = {{cpus_and_gpus(1, 1), cpus(1)}, {}};
  enter(wanted);
  granted();
  wanted.trial = trial_id{2};
  enter(wanted);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());

  EXPECT_THAT(uut.view_of(7).why,
              HasSubstr("trials wait for room: the nodes have no room at once for 1 x ("));
}

TEST_F(lease_book_test, does_not_deny_the_room_of_a_node_that_is_not_the_best) {
  uut.set_node("a", cpus(1), {});
  uut.set_node("b", cpus(1), {});
  uut.stand(7, {"x", "alice"});
  auto wanted = wants(7, 1, 1);
  wanted.best = node_label("b");
  enter(wanted);
  granted();
  wanted.trial = trial_id{2};
  enter(wanted);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());

  EXPECT_THAT(uut.view_of(7).why, Not(HasSubstr("free at once")));
}

TEST_F(lease_book_test, forgets_an_owner_but_for_its_leases) {
  uut.set_node("a", cpus(1), {});
  enter(wants(7, 1, 1));
  const auto held = granted().what.id;
  enter(wants(7, 2, 1));

  EXPECT_THAT(uut.forget(7), ElementsAre(held));

  EXPECT_TRUE(uut.over(held).is_free);
  EXPECT_THAT(uut.grant_what_fits(), IsEmpty());
}

TEST_F(lease_book_test, frees_a_lease_once_no_rank_of_it_runs) {
  uut.set_node("a", cpus(2), {});
  enter({7, trial_id{1}, {{cpus(1), cpus(1)}, {}}});
  const auto whole = granted().what.id;
  const auto part = uut.begin_rank(whole, 1, "a");

  ASSERT_TRUE(part);
  EXPECT_THAT(uut.trials_of({whole, *part}).at(7), ElementsAre(trial_id{1}));
  EXPECT_FALSE(uut.over(whole).is_free);
  EXPECT_FALSE(uut.begin_rank(whole, 1, "a"));
  EXPECT_TRUE(uut.over(*part).is_free);
  EXPECT_EQ(uut.used(), cpus(0));
}

TEST_F(lease_book_test, tells_which_ranks_are_not_wanted_where_a_node_was_lost) {
  uut.set_node("a", cpus(1), {});
  uut.set_node("b", cpus(1), {});
  enter({7, trial_id{1}, {{cpus(1), cpus(1)}, {}}});
  const auto whole = granted().what.id;
  const auto part = uut.begin_rank(whole, 1, "b");

  EXPECT_THAT(uut.lose(*part), ElementsAre(whole));
  EXPECT_THAT(uut.lose(whole), IsEmpty());

  EXPECT_EQ(uut.used(), cpus(0));
}

TEST_F(lease_book_test, leaves_a_node_out_that_was_not_ready) {
  uut.set_node("a", cpus(2), {});
  enter(wants(7, 1, 1));
  const auto declined = granted().what.id;

  const auto refused = uut.decline(declined, false);
  uut.over(declined);

  ASSERT_TRUE(refused);
  EXPECT_FALSE(refused->is_hopeless);
  enter(wants(7, 2, 1));
  enter(wants(8, 1, 1));
  EXPECT_EQ(granted().owner, 8u);
  EXPECT_TRUE(uut.ends(7, "a", refused->what.rest.times));
  uut.unhold("a", 7);
  EXPECT_EQ(granted().owner, 7u);
}

TEST_F(lease_book_test, gives_up_where_no_node_is_ever_ready) {
  uut.set_node("a", cpus(1), {});
  auto is_hopeless = false;

  for (auto times = 0; times < 3; ++times) {
    EXPECT_FALSE(is_hopeless);
    enter(wants(7, 1, 1));
    const auto id = granted().what.id;
    is_hopeless = uut.decline(id, false)->is_hopeless;
    uut.over(id);
    uut.unhold("a", 7);
  }

  EXPECT_TRUE(is_hopeless);
}

TEST_F(lease_book_test, knows_what_one_trial_of_each_owner_asks_for) {
  uut.set_node("a", cpus(1), {"x", "y"});
  auto held = wants(7, 1, 1);
  held.labels = {"x"};
  enter(held);
  granted();
  auto waits = wants(8, 1, 1);
  waits.labels = {"y"};
  enter(waits);

  const auto all = uut.labels_by_owner();

  EXPECT_THAT(all.at(7), ElementsAre("x"));
  EXPECT_THAT(all.at(8), ElementsAre("y"));
}

} // namespace
} // namespace tune
