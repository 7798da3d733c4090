// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/membership.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using reception = membership::reception;

constexpr lease_id first{7};
constexpr lease_id second{8};

struct membership_test : testing::Test {
  membership uut;

  /// Node "far" of worker `worker` arrives with `has`.
  membership::arrival come(std::uint64_t session, node_holdings has,
                           const std::string& worker = "w1") {
    return uut.arrive({"far", worker, session, std::move(has)});
  }
  void join() { EXPECT_EQ(come(5, {5, 0, {}}).how, reception::joined); }
  std::uint64_t launch(lease_id which) {
    uut.granted(which, "far");
    return uut.launched(which)->turn;
  }
};

TEST_F(membership_test, counts_the_launches_on_each_node) {
  join();

  EXPECT_EQ(launch(first), 1u);
  EXPECT_EQ(launch(second), 2u);
  EXPECT_EQ(uut.number_of(second).session, 5u);
}

TEST_F(membership_test, goes_on_with_a_node_that_was_away) {
  join();
  launch(first);
  uut.part("far");

  auto back = come(6, {5, 1, {first}});

  EXPECT_EQ(back.how, reception::returned);
  EXPECT_THAT(back.kept, ElementsAre(first));
  EXPECT_THAT(back.known, ElementsAre(first));
  EXPECT_THAT(back.missed, IsEmpty());
  EXPECT_FALSE(uut.is_away("far"));
  EXPECT_EQ(uut.number_of(first).turn, 1u);
  EXPECT_EQ(uut.number_of(first).session, 6u);
}

TEST_F(membership_test, takes_a_node_that_ended_everything_for_another_one) {
  join();
  launch(first);

  EXPECT_EQ(come(6, {6, 0, {}}).how, reception::replaces);

  EXPECT_THAT(uut.lose("far"), ElementsAre(first));
  EXPECT_EQ(come(6, {6, 0, {}}).how, reception::joined);
  EXPECT_FALSE(uut.launched(first));
}

TEST_F(membership_test, launches_anew_what_did_not_arrive_in_the_order_of_the_launches) {
  join();
  uut.granted(first, "far");
  EXPECT_EQ(launch(second), 1u);
  EXPECT_EQ(uut.launched(first)->turn, 2u);

  auto back = come(6, {5, 0, {}});

  EXPECT_THAT(back.kept, ElementsAre(first, second));
  EXPECT_THAT(back.missed, ElementsAre(second, first));
  EXPECT_EQ(uut.launched(second)->turn, 3u);
  EXPECT_EQ(uut.launched(first)->turn, 4u);
}

TEST_F(membership_test, knows_what_ended_while_the_node_was_away) {
  join();
  launch(first);
  launch(second);

  auto back = come(6, {5, 2, {second}});

  EXPECT_THAT(back.over, ElementsAre(first));
  EXPECT_THAT(back.kept, ElementsAre(second));
}

TEST_F(membership_test, keeps_what_was_granted_and_not_launched_yet) {
  join();
  uut.granted(first, "far");

  auto back = come(6, {5, 0, {}});

  EXPECT_THAT(back.kept, ElementsAre(first));
  EXPECT_THAT(back.missed, IsEmpty());
  EXPECT_THAT(back.over, IsEmpty());
}

TEST_F(membership_test, tells_again_what_nobody_wants_any_more) {
  join();
  launch(first);
  EXPECT_EQ(uut.revoke(first), "far");

  EXPECT_THAT(come(6, {5, 1, {first}}).revoked, ElementsAre(first));
  EXPECT_FALSE(uut.revoke(second));
}

TEST_F(membership_test, ignores_a_session_that_a_later_one_has_overtaken) {
  join();
  launch(first);
  come(7, {5, 1, {first}});

  EXPECT_EQ(come(6, {5, 0, {}}).how, reception::stale);
  EXPECT_EQ(uut.number_of(first).session, 7u);
}

TEST_F(membership_test, ignores_late_words_of_a_process_that_another_has_replaced) {
  join();
  uut.lose("far");
  EXPECT_EQ(come(7, {7, 0, {}}, "w2").how, reception::joined);

  EXPECT_EQ(come(6, {6, 0, {}}, "w1").how, reception::stale);
}

TEST_F(membership_test, has_another_worker_replace_the_one_of_its_name) {
  join();

  EXPECT_EQ(come(6, {6, 0, {}}, "w2").how, reception::replaces);
}

TEST_F(membership_test, numbers_launches_behind_all_that_a_late_node_has_seen) {
  EXPECT_EQ(come(6, {5, 3, {first}}).how, reception::joined);

  EXPECT_EQ(launch(second), 4u);
}

TEST_F(membership_test, is_never_asked_to_go_on_with_the_head_s_own_node) {
  EXPECT_EQ(uut.arrive({"here", "", 0, {}}).how, reception::joined);

  EXPECT_EQ(uut.arrive({"here", "", 0, {}}).how, reception::replaces);
  EXPECT_FALSE(uut.node_of(std::uint64_t{0}));
}

TEST_F(membership_test, forgets_an_allocation_once) {
  join();
  launch(first);
  EXPECT_EQ(uut.node_of(first), "far");

  EXPECT_TRUE(uut.over(first));
  EXPECT_FALSE(uut.over(first));
  EXPECT_THAT(uut.lose("far"), IsEmpty());
}

TEST_F(membership_test, says_once_that_a_node_leaves) {
  join();

  EXPECT_TRUE(uut.leave("far"));
  EXPECT_FALSE(uut.leave("far"));
  EXPECT_FALSE(uut.leave("elsewhere"));
  EXPECT_TRUE(uut.is_leaving("far"));
}

} // namespace
} // namespace tune
