// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/actors/attempt_meter.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <utility>
#include <vector>

namespace tune {
namespace {

using holds = std::vector<std::pair<std::uint32_t, double>>;

holds held(const launch_order& order) {
  holds result;
  for (const auto& x : gpus_held(order))
    result.emplace_back(x.device, x.share);
  return result;
}

TEST(gpus_held, are_whole_ones_or_a_part_of_one) {
  launch_order order;
  EXPECT_EQ(held(order), holds{});

  order.gpus = {3};
  order.gpu_amount = 0.25;
  EXPECT_EQ(held(order), (holds{{3, 0.25}}));

  order.gpus = {0, 2};
  order.gpu_amount = 2;
  EXPECT_EQ(held(order), (holds{{0, 1}, {2, 1}}));
}

TEST(gpus_held, of_a_rank_are_its_own_and_it_sees_those_of_others_on_its_node) {
  launch_order order;
  order.ranks = 3;
  order.rank = 1;
  for (const auto& [node, gpu] : {std::pair{"a", 0u}, std::pair{"a", 1u}, std::pair{"b", 5u}}) {
    bundle_info one;
    one.node = node;
    one.gpus = 1;
    one.indices = {gpu};
    order.bundles.push_back(one);
  }
  order.gpus = {1};
  order.gpu_amount = 1;

  EXPECT_EQ(held(order), (holds{{0, 0}, {1, 1}}));
}

TEST(attempt_meter, knows_nothing_of_gpus_and_energy_without_a_meter_of_devices) {
  attempt_meter uut;
  uut.init(nullptr);

  uut.begin(::getpid(), false, {});

  ASSERT_TRUE(uut.has_begun());
  const auto told = uut.read_now();
  EXPECT_TRUE(told.of(cost_kind::cpu_s));
  EXPECT_FALSE(told.of(cost_kind::peak_gpu_bytes));
  EXPECT_FALSE(told.of(cost_kind::energy_j));
}

} // namespace
} // namespace tune
