// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/cluster_plan.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

resources one_cpu() {
  return {amount::of(1), {}, 0, {}};
}

struct cluster_plan_scaling_test : testing::Test {
  cluster_plan uut;
  instant now{1h};

  cluster_commands come(const std::string& node, std::uint64_t session,
                        const std::string& worker = {}) {
    const auto who = worker.empty() ? "process of " + node : worker;
    return uut.arrive({node, who, session, {session, 0, {}}}, {one_cpu(), {}}, now);
  }
  std::vector<cluster_cmd::grant> ask(std::uint64_t owner, std::uint64_t trial) {
    return grants(uut.enter({owner, trial_id{trial}, {{one_cpu()}, {}}, true}));
  }
  static std::vector<cluster_cmd::grant> grants(const cluster_commands& all) {
    std::vector<cluster_cmd::grant> result;
    for (const auto& x : all) {
      if (const auto* found = std::get_if<cluster_cmd::grant>(&x))
        result.push_back(*found);
    }
    return result;
  }
  std::vector<std::string> busy() {
    std::vector<std::string> result;
    for (const auto& x : uut.need().workers) {
      if (x.is_busy)
        result.push_back(x.name);
    }
    return result;
  }
};

TEST_F(cluster_plan_scaling_test, counts_workers_and_what_waits) {
  EXPECT_THAT(uut.need().workers, IsEmpty());
  EXPECT_FALSE(uut.need().newest);
  static_cast<void>(uut.arrive({"local", {}, 0, {}}, {one_cpu(), {}}, now));
  EXPECT_FALSE(uut.need().newest) << "the head's own node is no worker";
  static_cast<void>(come("a", 5));
  ask(1, 1);
  ask(1, 2);
  ask(1, 3);
  ask(2, 4);

  const auto need = uut.need();

  ASSERT_EQ(need.workers.size(), 1u);
  EXPECT_EQ(need.workers[0].name, "a");
  EXPECT_EQ(need.workers[0].capacity, one_cpu());
  EXPECT_TRUE(need.workers[0].is_busy);
  EXPECT_EQ(need.workers[0].labels, (node_labels{"node a", "tolerate "}));
  ASSERT_EQ(need.pending.size(), 1u);
  EXPECT_EQ(need.pending[0].count, 2u);
  EXPECT_EQ(need.newest, one_cpu());
}

TEST_F(cluster_plan_scaling_test, a_worker_is_busy_until_its_lease_is_over) {
  static_cast<void>(come("a", 5));
  const auto granted = ask(1, 1);
  ASSERT_EQ(granted.size(), 1u);
  EXPECT_THAT(busy(), ElementsAre("a"));

  static_cast<void>(uut.over(granted[0].what.id));

  EXPECT_THAT(busy(), IsEmpty());
}

TEST_F(cluster_plan_scaling_test, nothing_is_placed_on_held_workers_until_they_are_released) {
  static_cast<void>(come("a", 5));
  static_cast<void>(come("b", 6));
  ask(1, 1);

  EXPECT_THAT(uut.hold_workers({"a", "b", "unknown"}), ElementsAre("b"));

  EXPECT_THAT(ask(1, 2), IsEmpty());
  EXPECT_THAT(ask(2, 3), IsEmpty()) << "an experiment that comes later";
  const auto out = grants(uut.release_workers({"b", "unknown"}));
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].node, "b");
  EXPECT_THAT(grants(uut.release_workers({"b"})), IsEmpty());
}

TEST_F(cluster_plan_scaling_test, a_held_worker_that_comes_back_is_still_held) {
  static_cast<void>(come("a", 5));
  ASSERT_THAT(uut.hold_workers({"a"}), ElementsAre("a"));
  static_cast<void>(uut.cut_off("a", "the line", now));
  static_cast<void>(uut.arrive({"a", "process of a", 6, {5, 0, {}}}, {one_cpu(), {}}, now));

  EXPECT_THAT(ask(1, 1), IsEmpty());

  EXPECT_EQ(grants(uut.release_workers({"a"})).size(), 1u);
}

TEST_F(cluster_plan_scaling_test, a_new_worker_under_its_name_is_not_held) {
  static_cast<void>(come("a", 5));
  ASSERT_THAT(uut.hold_workers({"a"}), ElementsAre("a"));
  static_cast<void>(uut.lost("a", "it left"));
  static_cast<void>(come("a", 7, "another process"));

  EXPECT_EQ(ask(1, 1).size(), 1u);
}

TEST_F(cluster_plan_scaling_test, workers_that_are_away_or_leave_are_not_held) {
  static_cast<void>(come("a", 5));
  static_cast<void>(come("b", 6));
  static_cast<void>(uut.cut_off("a", "the line", now));
  static_cast<void>(uut.leave("b"));

  EXPECT_THAT(uut.hold_workers({"a", "b"}), IsEmpty());

  EXPECT_THAT(busy(), ElementsAre("a"));
  EXPECT_EQ(uut.need().workers.size(), 1u) << "who leaves is counted on no more";
}

} // namespace
} // namespace tune
