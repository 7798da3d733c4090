// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/record_pace.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace tune {
namespace {

using namespace std::chrono_literals;

event reported_at(instant when, bool is_done = false) {
  report what;
  what.done = is_done;
  return {1, when, on::reported{std::make_shared<const report>(std::move(what))}};
}

event decided_at(instant when, action_body what) {
  return {1, when, on::decided{{{1, {{trial_id{1}, std::move(what), {}}}}}}};
}

TEST(record_pace, lets_reports_and_their_rows_wait_for_others_after_the_first) {
  record_pace uut{10ms};
  EXPECT_FALSE(uut.due(4ms));
  uut.add(reported_at(5ms));
  uut.add(cmd::trial_progressed{});
  EXPECT_EQ(uut.due(5ms), 15ms);
  uut.add(reported_at(9ms));
  EXPECT_EQ(uut.due(9ms), 15ms);
}

TEST(record_pace, goes_by_one_clock_whatever_the_times_of_events_are) {
  record_pace uut{10ms};
  uut.add(reported_at(1h));
  EXPECT_EQ(uut.due(3ms), 13ms);
  uut.add(event{1, 1h, on::stop_asked{}});
  EXPECT_LE(uut.due(4ms), 4ms);
}

TEST(record_pace, lets_go_ons_wait_likewise) {
  record_pace uut{10ms};
  uut.add(reported_at(5ms));
  uut.add(decided_at(6ms, go_on{}));
  EXPECT_EQ(uut.due(6ms), 16ms);
}

TEST(record_pace, lets_all_go_once_something_follows_from_it) {
  for (const auto& what :
       {reported_at(7ms, true), decided_at(7ms, stop{}), event{1, 7ms, on::stop_asked{}}}) {
    record_pace uut{10ms};
    uut.add(reported_at(5ms));
    uut.add(what);
    EXPECT_EQ(uut.due(7ms), 7ms);
  }
}

TEST(record_pace, lets_all_go_with_a_row_that_says_more_than_progress) {
  record_pace uut{10ms};
  uut.add(reported_at(5ms));
  uut.add(cmd::trial_changed{});
  EXPECT_EQ(uut.due(5ms), 5ms);
}

TEST(record_pace, lets_all_go_when_there_is_much) {
  record_pace uut{10ms};
  for (std::size_t i = 0; i < record_pace::most; ++i) {
    EXPECT_EQ(uut.due(5ms).value_or(15ms), 15ms);
    uut.add(reported_at(5ms));
  }
  EXPECT_EQ(uut.due(6ms), 5ms);
}

TEST(record_pace, begins_anew_when_all_went) {
  record_pace uut{10ms};
  uut.add(event{1, 5ms, on::stop_asked{}});
  uut.went();
  EXPECT_FALSE(uut.due(6ms));
  uut.add(reported_at(20ms));
  EXPECT_EQ(uut.due(20ms), 30ms);
}

TEST(record_pace, lets_nothing_wait_unless_told_how_long) {
  record_pace uut;
  uut.add(reported_at(5ms));
  EXPECT_EQ(uut.due(5ms), 5ms);
}

} // namespace
} // namespace tune
