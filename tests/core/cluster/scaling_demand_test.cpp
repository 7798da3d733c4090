// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/cluster/scaling_demand.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using strategy = resource_request::strategy;

resources of(double cpu, double gpu = 0) {
  resources result;
  result.cpu = amount::of(cpu);
  result.gpu = amount::of(gpu);
  return result;
}

pending_request one(resources what, std::uint64_t count) {
  return {{{std::move(what)}, {}}, count};
}

std::uint64_t workers(const std::vector<pending_request>& pending,
                      const std::optional<resources>& kind, const std::vector<resources>& idle = {},
                      std::uint64_t there = 0, std::uint64_t most = 1000) {
  std::vector<idle_room> rooms;
  for (const auto& x : idle)
    rooms.push_back({x});
  return demand_of(pending, kind, rooms, there, most).workers;
}

TEST(scaling_demand, nothing_that_waits_needs_nobody) {
  EXPECT_EQ(workers({}, of(4)), 0u);
  EXPECT_EQ(workers({}, std::nullopt), 0u);
}

TEST(scaling_demand, workers_are_filled_with_what_waits) {
  EXPECT_EQ(workers({one(of(1), 8)}, of(4)), 2u);
  EXPECT_EQ(workers({one(of(1), 9)}, of(4)), 3u);
  EXPECT_EQ(workers({one(of(0.5), 9)}, of(4)), 2u);
  EXPECT_EQ(workers({one(of(2, 1), 3), one(of(1), 2)}, of(4, 1)), 3u);
  EXPECT_EQ(workers({one(of(3), 2), one(of(1), 2)}, of(4)), 2u);
}

TEST(scaling_demand, one_worker_tells_what_they_offer) {
  EXPECT_EQ(workers({one(of(1), 500)}, std::nullopt), 1u);
  EXPECT_EQ(workers({one(of(1), 500)}, std::nullopt, {}, 0, 0), 0u);
}

TEST(scaling_demand, idle_workers_take_what_fits_them) {
  EXPECT_EQ(workers({one(of(1), 4)}, of(4), {of(4)}), 0u);
  EXPECT_EQ(workers({one(of(1), 5)}, of(4), {of(4)}), 1u);
  EXPECT_EQ(workers({one(of(1, 1), 1)}, of(4, 1), {of(4)}), 1u);
}

TEST(scaling_demand, what_no_worker_can_hold_calls_for_none) {
  auto found = demand_of({one(of(8), 3), one(of(1), 1)}, of(4), {}, 0, 100);

  EXPECT_EQ(found.workers, 1u);
  ASSERT_EQ(found.too_large.size(), 1u);
  EXPECT_EQ(found.too_large[0], (pending_bundle{of(8), 3}));
}

TEST(scaling_demand, custom_resources_and_memory_count) {
  auto asks = of(1);
  asks.custom["licence"] = amount::of(1);
  auto kind = of(4);
  EXPECT_EQ(demand_of({one(asks, 1)}, kind, {}, 0, 9).too_large.size(), 1u);
  kind.custom["licence"] = amount::of(2);
  EXPECT_EQ(workers({one(asks, 3)}, kind), 2u);
  asks.memory = 3;
  kind.memory = 4;
  EXPECT_EQ(workers({one(asks, 3)}, kind), 3u);
}

TEST(scaling_demand, a_bundle_of_nothing_needs_one_worker) {
  EXPECT_EQ(workers({one({}, 7)}, of(4)), 1u);
}

TEST(scaling_demand, bundles_that_must_lie_together_count_as_one) {
  EXPECT_EQ(workers({{{{of(2), of(2), of(2)}, strategy::strict_pack}, 1}}, of(4)), 0u);
  EXPECT_EQ(workers({{{{of(2), of(2), of(2)}, strategy::pack}, 1}}, of(4)), 2u);
  EXPECT_EQ(workers({{{{of(2), of(2)}, strategy::strict_pack}, 3}}, of(4)), 3u);
}

TEST(scaling_demand, bundles_that_must_lie_apart_need_as_many_workers) {
  const pending_request apart{{{of(1), of(1), of(1)}, strategy::strict_spread}, 1};
  EXPECT_EQ(workers({apart}, of(4)), 3u);
  EXPECT_EQ(workers({apart}, of(4), {of(4)}, 1), 2u);
  EXPECT_EQ(workers({apart}, of(4), {of(4), of(4), of(4)}, 3), 0u);
}

TEST(scaling_demand, tells_what_new_workers_have_to_meet) {
  const node_labels plain{"tolerate "};
  const node_labels large{"require model == A100", "tolerate "};
  auto rare = one(of(2), 3);
  rare.demands = large;
  auto usual = one(of(1), 5);
  usual.demands = plain;
  const std::vector<idle_room> idle{{of(2), plain}};

  const auto found = demand_of({rare, usual}, of(4), idle, 1, 100);

  // Two new ones hold the three large bundles, and two small ones; the idle one holds two.
  EXPECT_EQ(found.workers, 3u);
  EXPECT_EQ(found.kinds, (std::vector<worker_kind>{{large, 2}, {plain, 1}}));
  const auto told = demand_of({rare, usual}, of(4), {{of(8), plain, true}}, 1, 100);
  EXPECT_EQ(told.kinds, (std::vector<worker_kind>{{plain, 1}})) << "it was asked for just now";
}

TEST(scaling_demand, is_bounded) {
  EXPECT_EQ(workers({one(of(1), 1'000'000'000)}, of(4), {}, 0, 50), 50u);
}

} // namespace
} // namespace tune
