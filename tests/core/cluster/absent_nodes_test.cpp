// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/cluster_plan.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What the owners are told: "1: a text" or "1: down NODE: WHY" or "1: ended".
std::vector<std::string> told(const cluster_commands& all) {
  std::vector<std::string> result;
  for (const auto& x : all) {
    if (const auto* text = std::get_if<cluster_cmd::tell>(&x))
      result.push_back(std::to_string(text->owner) + ": " + text->text);
    const auto* event = std::get_if<cluster_cmd::tell_event>(&x);
    if (event == nullptr)
      continue;
    const auto owner = std::to_string(event->owner) + ": ";
    if (const auto* down = std::get_if<on::node_down>(&event->what))
      result.push_back(owner + "down " + down->node + ": " + down->why);
    else if (std::holds_alternative<on::ended>(event->what))
      result.push_back(owner + "ended");
  }
  return result;
}

const std::string reason = "it did not come back to the head that took the place of its own";

/// Experiments 1 and 2 hear of nodes; their records name nodes of the head before.
struct absent_nodes_test : testing::Test {
  cluster_plan uut{1000};
  instant now{1h};

  absent_nodes_test() {
    static_cast<void>(uut.enrol(1));
    static_cast<void>(uut.enrol(2));
  }
  cluster_commands come(const std::string& node) {
    return uut.arrive({node, "process of " + node, 5, {5, 0, {}}}, {{amount::of(1), {}, 0, {}}, {}},
                      now);
  }
};

TEST_F(absent_nodes_test, records_those_as_lost_that_do_not_come_back_in_time) {
  EXPECT_THAT(uut.knew(1, {"a", "b"}), IsEmpty());
  EXPECT_EQ(uut.begin_wait(30s).size(), 1u) << "there is something to wait for";
  static_cast<void>(come("a"));

  EXPECT_THAT(told(uut.end_wait()),
              ElementsAre("1: worker b is lost: " + reason + "; no trial ran there",
                          "1: down b: " + reason));
  EXPECT_THAT(told(uut.end_wait()), IsEmpty()) << "once";
}

TEST_F(absent_nodes_test, ends_what_ran_there_before) {
  static_cast<void>(uut.await({1,
                               trial_id{1},
                               {1, 1},
                               {lease_id{40}, {{"b", {amount::of(1), {}, 0, {}}, {}}}},
                               {{{amount::of(1), {}, 0, {}}}, {}},
                               {},
                               true}));
  static_cast<void>(uut.knew(1, {"b"}));
  static_cast<void>(uut.begin_wait(30s));

  EXPECT_THAT(told(uut.end_wait()),
              ElementsAre("1: ended",
                          "1: worker b is lost: " + reason
                              + "; the trial that ran there is tried again, from the newest "
                                "checkpoint if there is one",
                          "1: down b: " + reason));
}

TEST_F(absent_nodes_test, tells_when_one_comes_later) {
  static_cast<void>(uut.knew(1, {"b"}));
  static_cast<void>(uut.begin_wait(30s));
  static_cast<void>(uut.end_wait());

  EXPECT_THAT(told(come("b")), ElementsAre(HasSubstr("1: worker b was lost and is back")));
}

TEST_F(absent_nodes_test, waits_for_none_once_the_time_is_over) {
  static_cast<void>(come("a"));
  EXPECT_THAT(uut.begin_wait(30s), IsEmpty()) << "there is nothing to wait for";

  EXPECT_THAT(told(uut.knew(2, {"a", "b"})),
              ElementsAre(HasSubstr("2: worker b is lost"), "2: down b: " + reason));
}

TEST_F(absent_nodes_test, forgets_those_of_an_experiment_that_is_over) {
  static_cast<void>(uut.knew(1, {"b"}));
  static_cast<void>(uut.forget(1));

  EXPECT_THAT(uut.begin_wait(30s), IsEmpty());
}

TEST_F(absent_nodes_test, keep_no_experiment_from_its_place_while_they_may_come) {
  allocation_limits limits;
  limits.max_experiments = 1;
  uut = cluster_plan{1000, limits};
  uut.close_queue();
  for (std::uint64_t owner : {1, 2}) {
    static_cast<void>(uut.enrol(owner));
    queue_claim claim;
    claim.arrival = owner;
    claim.was_served = owner == 1;
    static_cast<void>(uut.stand(owner, {}, claim));
  }
  static_cast<void>(uut.knew(1, {"a", "b"}));
  static_cast<void>(uut.enter({1, trial_id{1}, {{{amount::of(2), {}, 0, {}}}, {}}, true}));
  static_cast<void>(uut.enter({2, trial_id{1}, {{{amount::of(1), {}, 0, {}}}, {}}, true}));
  static_cast<void>(uut.open_queue());
  static_cast<void>(uut.begin_wait(30s));

  static_cast<void>(come("a"));
  EXPECT_FALSE(uut.view_of(1).stands_aside);
  EXPECT_EQ(uut.view_of(1).place, 0u) << "it is served";
  EXPECT_EQ(uut.view_of(2).place, 1u);

  static_cast<void>(uut.end_wait());
  EXPECT_TRUE(uut.view_of(1).stands_aside);
  EXPECT_EQ(uut.view_of(2).place, 0u);
}

TEST(absence_text, names_some_of_many) {
  EXPECT_THAT(absence_text({"a", "b"}, 3),
              testing::AllOf(HasSubstr("workers a, b are lost: they did not come back"),
                             HasSubstr("; the 3 trials that ran there are tried again")));
  EXPECT_THAT(absence_text({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, 0),
              HasSubstr("workers a, b, c, d, e, f, g, h and 2 more are lost"));
}

} // namespace
} // namespace tune
