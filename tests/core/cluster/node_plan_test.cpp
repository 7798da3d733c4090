// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/node_plan.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tune {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using stage = allocation_stage;
using event = allocation_event;

// -- The table.

constexpr stage all_stages[] = {stage::absent,    stage::fetching, stage::blocked, stage::preparing,
                                stage::cancelled, stage::running,  stage::ending,  stage::closing};

/// The next stage after an event, by the current stage in the order of `all_stages`.
struct row {
  event what;
  stage to[8];
};

constexpr auto absent = stage::absent;
constexpr auto fetching = stage::fetching;
constexpr auto blocked = stage::blocked;
constexpr auto preparing = stage::preparing;
constexpr auto cancelled = stage::cancelled;
constexpr auto running = stage::running;
constexpr auto ending = stage::ending;
constexpr auto closing = stage::closing;

// clang-format off
constexpr row table[] = {
  {event::ordered,         {fetching,  fetching,  blocked,  preparing, cancelled, running, ending,  closing}},
  {event::ordered_ready,   {preparing, fetching,  blocked,  preparing, cancelled, running, ending,  closing}},
  {event::ordered_blocked, {blocked,   fetching,  blocked,  preparing, cancelled, running, ending,  closing}},
  {event::found,           {absent,    preparing, blocked,  preparing, cancelled, running, ending,  closing}},
  {event::room,            {absent,    fetching,  fetching, preparing, cancelled, running, ending,  closing}},
  {event::started,         {absent,    fetching,  blocked,  running,   ending,    running, ending,  closing}},
  {event::not_started,     {closing,   closing,   closing,  closing,   closing,   closing, closing, closing}},
  {event::files_gone,      {absent,    fetching,  blocked,  fetching,  cancelled, running, ending,  closing}},
  {event::unwanted,        {absent,    absent,    absent,   cancelled, cancelled, ending,  ending,  absent}},
  {event::gone,            {absent,    fetching,  blocked,  preparing, cancelled, closing, closing, closing}},
  {event::heard,           {absent,    fetching,  blocked,  preparing, cancelled, running, ending,  absent}},
};
// clang-format on

TEST(allocation_stage, changes_as_the_table_says) {
  for (const auto& x : table) {
    for (std::size_t i = 0; i < std::size(all_stages); ++i)
      EXPECT_EQ(to_text(next(all_stages[i], x.what)), to_text(x.to[i]))
          << "from " << to_text(all_stages[i]) << " by event " << static_cast<int>(x.what);
  }
}

// -- The plan.

struct in_words {
  std::string operator()(const node_cmd::fetch& x) const { return "fetch " + x.job; }
  std::string operator()(const node_cmd::prepare& x) const { return "prepare" + of(x.lease); }
  std::string operator()(const node_cmd::meet& x) const { return "meet" + of(x.lease); }
  std::string operator()(const node_cmd::kill& x) const { return "kill" + of(x.lease); }
  std::string operator()(const node_cmd::decline& x) const { return "decline" + of(x.lease); }
  std::string operator()(const node_cmd::tell_end& x) const {
    return "end" + of(x.lease) + ": " + x.why;
  }
  std::string operator()(const node_cmd::await_hearing& x) const { return "await" + of(x.lease); }
  std::string operator()(const node_cmd::report_over& x) const { return "over" + of(x.lease); }
  std::string operator()(const node_cmd::forget& x) const { return "forget" + of(x.lease); }
  std::string operator()(const node_cmd::leave_job& x) const { return "leave " + x.job; }
  std::string operator()(const node_cmd::drop_pauses&) const { return "drop pauses"; }
  std::string operator()(const node_cmd::open&) const { return "open"; }
  std::string operator()(const node_cmd::quit&) const { return "quit"; }
  static std::string of(lease_id x) { return " " + std::to_string(x.number); }
};

std::vector<std::string> words(const node_commands& all) {
  std::vector<std::string> result;
  for (const auto& x : all)
    result.push_back(std::visit(in_words{}, x));
  return result;
}

struct node_plan_test : testing::Test {
  node_plan uut{{"w", true, true, 5}};

  node_plan_test() { uut.know("x"); }

  static node_plan::order order(std::uint64_t lease, std::uint64_t turn, std::uint64_t session = 5,
                                std::uint32_t epoch = 1) {
    return {lease_id{lease}, {epoch, lease}, "x", turn, session};
  }
  std::vector<std::string> launch(std::uint64_t lease, std::uint64_t turn,
                                  std::uint64_t session = 5) {
    return words(uut.launch(order(lease, turn, session), true));
  }
  void run(std::uint64_t lease, std::uint64_t turn, std::uint64_t session = 5) {
    EXPECT_THAT(launch(lease, turn, session), ElementsAre("prepare " + std::to_string(lease)));
    EXPECT_THAT(uut.started({lease}), IsEmpty());
  }
  std::vector<lease_id> has() { return uut.holdings().leases; }
};

TEST_F(node_plan_test, runs_an_allocation_from_its_launch_to_its_end) {
  run(7, 1);

  EXPECT_EQ(uut.stage_of({7}), stage::running);
  EXPECT_THAT(words(uut.gone({7})), ElementsAre("await 7"));
  EXPECT_THAT(words(uut.heard({7})), ElementsAre("forget 7", "over 7"));
  EXPECT_EQ(uut.size(), 0u);
}

TEST_F(node_plan_test, begins_a_repeated_launch_once) {
  run(7, 1);

  EXPECT_THAT(launch(7, 1), ElementsAre("meet 7"));
}

TEST_F(node_plan_test, says_that_a_repeated_launch_is_over_whose_end_was_heard) {
  run(7, 1);
  words(uut.gone({7}));
  words(uut.heard({7}));

  EXPECT_THAT(launch(7, 1), ElementsAre("over 7"));
  EXPECT_EQ(uut.stage_of({7}), stage::absent);
}

TEST_F(node_plan_test, begins_nothing_while_it_may_not_speak) {
  EXPECT_THAT(uut.launch(order(7, 1), false), IsEmpty());

  EXPECT_EQ(uut.holdings().turn, 0u);
  EXPECT_THAT(launch(7, 1), ElementsAre("prepare 7"));
}

TEST_F(node_plan_test, hears_nothing_of_the_sessions_before_the_one_in_which_it_is_back) {
  run(7, 1);
  auto has = uut.rejoin(6);
  EXPECT_EQ(has.incarnation, 5u);
  EXPECT_EQ(has.turn, 1u);
  EXPECT_THAT(has.leases, ElementsAre(lease_id{7}));

  EXPECT_THAT(uut.keep_only(5, {}, true), IsEmpty());
  EXPECT_THAT(launch(8, 2, 5), IsEmpty());
  EXPECT_EQ(uut.stage_of({7}), stage::running);

  EXPECT_THAT(words(uut.keep_only(6, {{7}}, false)), ElementsAre("open"));
  EXPECT_THAT(launch(8, 2, 6), ElementsAre("prepare 8"));
}

TEST_F(node_plan_test, ends_what_the_head_has_given_up_before_anything_new_begins) {
  run(7, 1);
  run(8, 2);
  static_cast<void>(uut.rejoin(6));

  EXPECT_THAT(words(uut.keep_only(6, {}, true)),
              ElementsAre("drop pauses", "forget 7", "kill 7", "forget 8", "kill 8", "open"));
  EXPECT_THAT(has(), IsEmpty());
  EXPECT_THAT(launch(9, 3, 6), IsEmpty());
  EXPECT_EQ(uut.stage_of({9}), stage::blocked);
  EXPECT_THAT(words(uut.gone({7})), IsEmpty());
  EXPECT_THAT(words(uut.gone({8})), ElementsAre("prepare 9"));
}

TEST_F(node_plan_test, begins_what_waited_for_room_in_the_order_of_the_launches) {
  run(7, 1);
  static_cast<void>(uut.rejoin(6));
  words(uut.keep_only(6, {}, true));
  launch(12, 2, 6);
  launch(11, 3, 6);

  EXPECT_THAT(words(uut.gone({7})), ElementsAre("prepare 12", "prepare 11"));
}

TEST_F(node_plan_test, says_nothing_of_the_end_of_what_was_given_up) {
  launch(7, 1);
  static_cast<void>(uut.rejoin(6));

  EXPECT_THAT(words(uut.keep_only(6, {}, false)), ElementsAre("forget 7", "open"));
  EXPECT_FALSE(uut.is_wanted({7}));
  EXPECT_THAT(words(uut.not_ready({7}, {"no disk", false})), IsEmpty());
  EXPECT_EQ(uut.size(), 0u);
}

TEST_F(node_plan_test, fetches_a_job_once_for_all_that_need_it) {
  auto unknown = order(7, 1);
  unknown.job = "y";
  EXPECT_THAT(words(uut.launch(unknown, true)), ElementsAre("fetch y"));
  unknown.lease = {8};
  unknown.turn = 2;
  EXPECT_THAT(uut.launch(unknown, true), IsEmpty());

  EXPECT_THAT(words(uut.job_found("y")), ElementsAre("prepare 7", "prepare 8"));
}

TEST_F(node_plan_test, fetches_a_job_once_for_all_that_waited_for_room) {
  run(7, 1);
  static_cast<void>(uut.rejoin(6));
  words(uut.keep_only(6, {}, true));
  for (std::uint64_t i : {8, 9}) {
    auto unknown = order(i, i, 6);
    unknown.job = "y";
    EXPECT_THAT(uut.launch(unknown, true), IsEmpty());
  }

  EXPECT_THAT(words(uut.gone({7})), ElementsAre("fetch y"));
  EXPECT_THAT(words(uut.job_found("y")), ElementsAre("prepare 8", "prepare 9"));
}

TEST_F(node_plan_test, declines_what_its_job_is_missing_for) {
  auto unknown = order(7, 1);
  unknown.job = "y";
  words(uut.launch(unknown, true));

  EXPECT_THAT(words(uut.job_missing("y", {"no space", false})),
              ElementsAre("decline 7", "end 7: node w is not ready for it: no space", "await 7"));
}

TEST_F(node_plan_test, fetches_files_anew_that_are_gone_once_for_all_that_need_them) {
  EXPECT_THAT(launch(7, 1), ElementsAre("prepare 7"));
  EXPECT_THAT(launch(8, 2), ElementsAre("prepare 8"));

  EXPECT_THAT(words(uut.files_gone({7}, "a.sh is gone")), ElementsAre("fetch x"));
  EXPECT_THAT(uut.files_gone({8}, "a.sh is gone"), IsEmpty());
  EXPECT_THAT(launch(9, 3), IsEmpty());

  EXPECT_THAT(words(uut.job_found("x")), ElementsAre("prepare 7", "prepare 8", "prepare 9"));
}

TEST_F(node_plan_test, declines_what_files_are_gone_for_a_second_time) {
  launch(7, 1);
  static_cast<void>(uut.files_gone({7}, "a.sh is gone"));
  static_cast<void>(uut.job_found("x"));

  EXPECT_THAT(
      words(uut.files_gone({7}, "a.sh is gone")),
      ElementsAre("decline 7", "end 7: node w is not ready for it: a.sh is gone", "await 7"));
  EXPECT_THAT(launch(8, 2), ElementsAre("fetch x"));
}

TEST_F(node_plan_test, declines_what_files_are_gone_for_where_nobody_brings_them) {
  node_plan local{{"local", false, false, 0}};
  local.know("x");
  static_cast<void>(local.launch(order(7, 0), true));

  EXPECT_THAT(words(local.files_gone({7}, "a.sh is gone")),
              ElementsAre("decline 7", "end 7: node local is not ready for it: a.sh is gone",
                          "forget 7", "over 7"));
}

TEST_F(node_plan_test, fetches_nothing_anew_for_what_nobody_wants) {
  launch(7, 1);
  static_cast<void>(uut.revoke({7}));

  EXPECT_THAT(words(uut.files_gone({7}, "a.sh is gone")), Contains("decline 7"));
  EXPECT_EQ(uut.stage_of({7}), stage::closing);
}

TEST_F(node_plan_test, declines_what_began_and_could_not_go_on_for_its_node_s_sake) {
  run(7, 1);

  EXPECT_THAT(
      words(uut.not_ready({7}, {"no processes", true})),
      ElementsAre("decline 7", "end 7: node w is not ready for it: no processes", "await 7"));
}

TEST_F(node_plan_test, ends_what_nobody_wants_any_more_as_soon_as_it_has_begun) {
  launch(7, 1);

  EXPECT_THAT(uut.revoke({7}), IsEmpty());
  EXPECT_THAT(words(uut.started({7})), ElementsAre("kill 7"));
  EXPECT_THAT(words(uut.gone({7})), ElementsAre("await 7"));
}

TEST_F(node_plan_test, frees_what_is_revoked_before_it_began_or_after_it_ended) {
  auto unknown = order(7, 1);
  unknown.job = "y";
  words(uut.launch(unknown, true));
  run(8, 2);
  words(uut.gone({8}));

  EXPECT_THAT(words(uut.revoke({7})), ElementsAre("forget 7", "over 7"));
  EXPECT_THAT(words(uut.revoke({8})), ElementsAre("forget 8", "over 8"));
  EXPECT_THAT(words(uut.revoke({9})), ElementsAre("over 9"));
}

TEST_F(node_plan_test, refuses_a_head_that_is_not_the_newest) {
  words(uut.launch(order(7, 1, 5, 2), true));

  EXPECT_THAT(words(uut.launch(order(8, 2, 5, 1), true)),
              ElementsAre("end 8: a newer head leads its experiment than the one that launched it",
                          "await 8"));
}

TEST_F(node_plan_test, leaves_a_job_once_nothing_of_it_runs) {
  run(7, 1);

  EXPECT_THAT(words(uut.end_job("x")), IsEmpty());
  EXPECT_THAT(words(uut.gone({7})), ElementsAre("await 7", "leave x"));
}

TEST_F(node_plan_test, quits_once_what_runs_has_ended) {
  run(7, 1);

  EXPECT_THAT(uut.leave(), IsEmpty());
  EXPECT_THAT(launch(8, 2), ElementsAre("end 8: its node leaves", "await 8"));
  words(uut.gone({7}));
  words(uut.heard({7}));
  EXPECT_THAT(words(uut.heard({8})), ElementsAre("forget 8", "over 8", "quit"));
}

TEST_F(node_plan_test, hands_back_all_that_it_has_when_it_drains) {
  run(7, 1);
  launch(8, 2);
  run(9, 3);
  words(uut.gone({9}));

  EXPECT_THAT(words(uut.drain()), ElementsAre("end 7: its node leaves", "kill 7",
                                              "end 8: its node leaves", "forget 9", "over 9"));
  EXPECT_THAT(uut.drain(), IsEmpty());
  EXPECT_THAT(words(uut.not_begun({8}, end_class::preempted, "it leaves")),
              ElementsAre("forget 8", "over 8"));
  EXPECT_THAT(words(uut.gone({7})), ElementsAre("forget 7", "over 7", "quit"));
}

TEST_F(node_plan_test, has_no_sessions_where_its_head_is_in_its_own_process) {
  node_plan local{{"local", false, false, 0}};
  local.know("x");
  words(local.launch(order(7, 0, 0), true));
  words(local.started({7}));

  EXPECT_THAT(words(local.launch(order(8, 0, 0), true)), ElementsAre("prepare 8"));
  EXPECT_THAT(words(local.not_ready({8}, {"no disk", false})),
              ElementsAre("decline 8", "end 8: node local is not ready for it: no disk", "forget 8",
                          "over 8"));
}

} // namespace
} // namespace tune
