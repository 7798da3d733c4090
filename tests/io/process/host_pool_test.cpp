// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/host_pool.hpp"

#include <gmock/gmock.h>

namespace tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A request of one job and trainable.
host_key asks_for(double cpus, std::vector<std::uint32_t> devices = {}) {
  return {"job", "mlp", cpus, static_cast<double>(devices.size()), std::move(devices), 0};
}

constexpr process_handle host(std::uint64_t id) {
  return {id, 1};
}

TEST(host_pool, hands_the_host_out_that_waits_for_the_shortest_time) {
  host_pool uut;
  uut.give(asks_for(1), host(1));
  uut.give(asks_for(1), host(2));

  EXPECT_EQ(uut.take(asks_for(1)), host(2));
  EXPECT_EQ(uut.take(asks_for(1)), host(1));
  EXPECT_EQ(uut.take(asks_for(1)), std::nullopt);
}

TEST(host_pool, hands_no_host_out_for_another_request) {
  auto key = asks_for(1, {0});
  host_pool uut;
  uut.give(key, host(1));

  for (auto change : std::vector<void (*)(host_key&)>{
           [](host_key& x) { x.job = "other"; }, [](host_key& x) { x.trainable = "cnn"; },
           [](host_key& x) { x.cpus = 2; }, [](host_key& x) { x.gpus = 0.5; },
           [](host_key& x) { x.devices = {1}; }, [](host_key& x) { x.memory = 1; }}) {
    auto other = key;
    change(other);
    EXPECT_EQ(uut.take(other), std::nullopt);
  }
  EXPECT_EQ(uut.take(key), host(1));
}

TEST(host_pool, B4_8_reuses_each_of_three_kinds_of_requests_once) {
  host_pool uut;
  for (std::uint64_t i = 1; i <= 3; ++i)
    uut.give(asks_for(static_cast<double>(i)), host(i));

  for (std::uint64_t i = 1; i <= 3; ++i)
    EXPECT_EQ(uut.take(asks_for(static_cast<double>(i))), host(i));
  EXPECT_EQ(uut.size(), 0u);
}

TEST(host_pool, lets_the_hosts_of_one_job_go) {
  auto of_other = asks_for(1);
  of_other.job = "other";
  host_pool uut;
  uut.give(asks_for(1), host(1));
  uut.give(of_other, host(2));
  uut.give(asks_for(2), host(3));

  EXPECT_THAT(uut.take_all_of("job"), ElementsAre(host(1), host(3)));
  EXPECT_THAT(uut.take_all_of("job"), IsEmpty());
  EXPECT_EQ(uut.take(of_other), host(2));
}

TEST(host_pool, forgets_a_host_that_is_gone) {
  host_pool uut;
  uut.give(asks_for(1), host(1));
  uut.give(asks_for(1), host(2));

  uut.forget(host(2));
  uut.forget(host(3));

  EXPECT_EQ(uut.take(asks_for(1)), host(1));
  EXPECT_EQ(uut.size(), 0u);
}

TEST(host_pool, makes_room_by_the_one_that_waits_longest) {
  host_pool uut;
  uut.give(asks_for(1), host(1));
  uut.give(asks_for(2), host(2));

  EXPECT_THAT(uut.make_room(asks_for(3)), ElementsAre(host(1)));
  EXPECT_THAT(uut.make_room(asks_for(3)), ElementsAre(host(2)));
  EXPECT_THAT(uut.make_room(asks_for(3)), IsEmpty());
}

TEST(host_pool, frees_devices_before_others_use_them) {
  host_pool uut;
  uut.give(asks_for(1, {0}), host(1));
  uut.give(asks_for(1, {1}), host(2));
  uut.give(asks_for(2, {1, 2}), host(3));

  EXPECT_THAT(uut.make_room(asks_for(1, {1, 3})), ElementsAre(host(2), host(3)));
  EXPECT_EQ(uut.size(), 1u);
}

TEST(host_pool, gives_all_back_at_its_end) {
  host_pool uut;
  uut.give(asks_for(1), host(1));
  uut.give(asks_for(2), host(2));

  EXPECT_THAT(uut.clear(), ElementsAre(host(1), host(2)));
  EXPECT_EQ(uut.size(), 0u);
}

/// Trials of two requests come and go at random: there are never more hosts than trials that ran at
/// once.
TEST(host_pool, never_keeps_more_hosts_than_trials_ran_at_once) {
  host_pool uut;
  std::uint64_t started = 0;
  std::uint64_t ended = 0;
  std::vector<std::pair<host_key, process_handle>> running;
  for (auto kind : {1, 1, 0, 0, 2, 2, 0, 0, 1, 2, 0, 0, 2, 1, 0, 0}) {
    if (kind == 0) {
      uut.give(running.back().first, running.back().second);
      running.pop_back();
      continue;
    }
    auto key = asks_for(kind);
    auto found = uut.take(key);
    if (!found) {
      ended += uut.make_room(key).size();
      found = host(++started);
    }
    running.emplace_back(key, *found);
    EXPECT_LE(running.size() + uut.size(), 2u);
    EXPECT_EQ(running.size() + uut.size(), started - ended);
  }
}

} // namespace
} // namespace tune
