// What trials take of each node, from the record's events and rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "view/node_use.hpp"

#include "tune/core/experiment/event.hpp"
#include "tune/io/store/event_codec.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tune::cli {
namespace {

resources cpus(double x) {
  return {amount::of(x), {}, 0, {}};
}

struct node_use_test : testing::Test {
  void read(const event_body& what) {
    std::string body;
    append_event_json(body, what);
    track.read({++seq, std::chrono::seconds{seq}, name_of(what), body});
  }
  /// Places an attempt of the trial with these bundles.
  void place(std::uint64_t trial, std::vector<bundle_grant> bundles) {
    const attempt_id attempt{1, ++attempts};
    const auto home = bundles.front().node;
    read(on::placed{{trial}, attempt, lease{{attempts * 10}, std::move(bundles)}});
    open.push_back({{trial}, attempt, home});
  }

  node_track track;
  std::vector<open_attempt> open;
  sequence seq = 0;
  std::uint64_t attempts = 0;
};

TEST_F(node_use_test, counts_a_trial_at_each_node_of_its_bundles) {
  place(0, {{"w2", cpus(1), {}}, {"w2", cpus(1), {}}, {"w1", cpus(2), {}}});
  place(1, {{"w1", cpus(1), {}}});

  auto found = use_of_nodes(open, track.placements());

  EXPECT_EQ(found["w1"].running, 2u);
  EXPECT_EQ(found["w1"].used, cpus(3));
  EXPECT_EQ(found["w2"].running, 1u);
  EXPECT_EQ(found["w2"].used, cpus(2));
}

TEST_F(node_use_test, goes_by_the_newest_attempt_of_a_trial) {
  place(0, {{"w1", cpus(1), {}}});
  // It was lost with its node.
  open.clear();
  place(0, {{"w2", cpus(4), {}}});

  auto found = use_of_nodes(open, track.placements());

  EXPECT_EQ(found.count("w1"), 0u);
  EXPECT_EQ(found["w2"].used, cpus(4));
}

TEST_F(node_use_test, forgets_attempts_that_ended) {
  place(0, {{"w1", cpus(1), {}}});
  read(on::ended{{0}, {1, 7}, end_class::finished, "", {}});
  EXPECT_EQ(track.placements().size(), 1u) << "another attempt";
  read(on::ended{{0}, open.front().attempt, end_class::finished, "", {}});

  EXPECT_TRUE(track.placements().empty());
}

TEST_F(node_use_test, does_not_guess_what_an_attempt_takes) {
  open.push_back({{3}, {1, 9}, "w1"});

  auto found = use_of_nodes(open, track.placements());

  EXPECT_EQ(found["w1"].running, 1u);
  EXPECT_FALSE(found["w1"].used);
}

TEST_F(node_use_test, is_nothing_where_nothing_runs) {
  EXPECT_EQ(use_of_nodes({}, {})["w1"].used, resources{});
}

} // namespace
} // namespace tune::cli
