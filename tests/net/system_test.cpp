// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/system.hpp"

#include "support/little_memory.hpp"

#include "tune/io/process/thread_room.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <exception>

namespace tune {
namespace {

using support::leave_room_for;

/// Makes a system where only `threads` threads can be started, then ends the process: with 0 if
/// they were enough, with 3 if not.
template <class Config>
[[noreturn]] void begin_with(std::size_t threads, Config& config) {
  std::set_terminate([] { ::_exit(3); });
  leave_room_for(threads);
  caf::actor_system system{config};
  ::_exit(0);
}

[[noreturn]] void begin_alone(std::size_t threads) {
  system_config config{2};
  begin_with(threads, config);
}

[[noreturn]] void begin_with_network(std::size_t threads) {
  network_config config{transport{}, 2};
  begin_with(threads, config);
}

/// More threads than any system starts with, including the memory that its threads reserve early.
constexpr std::size_t enough = 64;

class start_test : public testing::Test {
protected:
  void SetUp() override {
    if (!support::can_bound_memory)
      GTEST_SKIP() << "sanitizers need all the memory there is";
    // Keeps other tests' threads out of the death test.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(start_test, a_system_without_room_for_its_threads_ends_instead_of_waiting) {
  for (std::size_t threads = 0; threads < 4; ++threads)
    EXPECT_EXIT(begin_alone(threads), testing::ExitedWithCode(3), "") << threads;
}

TEST_F(start_test, one_that_talks_to_others_does_likewise) {
  for (std::size_t threads = 0; threads < 6; ++threads)
    EXPECT_EXIT(begin_with_network(threads), testing::ExitedWithCode(3), "") << threads;
}

TEST_F(start_test, both_begin_where_there_is_room) {
  EXPECT_EXIT(begin_alone(enough), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(begin_with_network(enough), testing::ExitedWithCode(0), "");
}

void ask_for_room() {
  leave_room_for(3);
  auto can = can_start_threads(enough);
  auto fewer = can_start_threads(3);
  std::fputs(can ? "there is" : can.error().detail.c_str(), stderr);
  ::_exit(fewer ? 0 : 1);
}

TEST_F(start_test, whether_there_is_room_is_known_before) {
  EXPECT_EXIT(ask_for_room(), testing::ExitedWithCode(0), "only 3 of 64 threads can be started: ");
}

TEST_F(start_test, threads_that_there_is_room_for_do_not_stay) {
  EXPECT_TRUE(can_start_threads(enough));
}

} // namespace
} // namespace tune
