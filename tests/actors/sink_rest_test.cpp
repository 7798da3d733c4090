// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/actors/sink_rest.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

using namespace std::chrono_literals;

sink_rest::time_point at(std::chrono::milliseconds x) {
  return sink_rest::time_point{x};
}

TEST(sink_rest, is_a_multiple_of_the_time_at_work) {
  sink_rest uut{1s};
  EXPECT_EQ(uut.left(at(100ms)), 0s);

  uut.worked(at(100ms), at(110ms));

  EXPECT_EQ(uut.left(at(110ms)), 190ms);
  EXPECT_EQ(uut.left(at(200ms)), 100ms);
  EXPECT_EQ(uut.left(at(300ms)), 0s);
}

TEST(sink_rest, has_a_limit) {
  sink_rest uut{1s};

  uut.worked(at(0ms), at(5'000ms));

  EXPECT_EQ(uut.left(at(5'000ms)), 1s);
}

TEST(sink_rest, is_left_out_where_it_is_not_worth_a_timer) {
  sink_rest uut{1s};

  uut.worked(at(100ms), at(100ms) + 250us);

  EXPECT_EQ(uut.left(at(100ms) + 250us), 0s);
}

TEST(sink_rest, is_none_unless_it_is_asked_for) {
  sink_rest uut;

  uut.worked(at(0ms), at(5'000ms));

  EXPECT_EQ(uut.left(at(5'000ms)), 0s);
}

} // namespace
} // namespace tune
