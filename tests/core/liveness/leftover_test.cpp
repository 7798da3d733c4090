// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/liveness/leftover.hpp"

#include <gtest/gtest.h>

namespace tune {
namespace {

constexpr std::uint64_t here = 4026531836;
constexpr std::uint64_t inside = 4026532500;
constexpr std::uint64_t around = 4026531000;
constexpr directory_name ours{8, 100};
constexpr directory_name other{9, 100};

process_name guard_in(std::uint64_t space) {
  return {"boot", space, 1, 7, 1000};
}

/// A view that contains the observer and the given processes.
process_view seen(std::vector<seen_process> more) {
  more.push_back({1, 1, here, 1});
  return {"boot", here, 1, std::move(more)};
}

// -- Names.

TEST(process_name, comes_back_from_its_text) {
  const auto name = guard_in(inside);

  EXPECT_EQ(process_name_from_text(to_text(name)), name);
  EXPECT_EQ(process_name_from_text(to_text(name) + ":a word"), name);
}

TEST(process_name, is_not_found_in_other_texts) {
  for (const auto* text : {"", ":", "12:34", "boot:1:1:1", "boot:1:1:1:", "boot:1:1:x:1",
                           "boot:1:1:1x:1", ":1:1:1:1", "boot:-1:1:1:1"})
    EXPECT_FALSE(process_name_from_text(text)) << text;
}

TEST(directory_name, comes_back_from_its_text) {
  EXPECT_EQ(directory_name_from_text(to_text(ours)), ours);
  for (const auto* text : {"", "1", "1:", "1:2:3", "x:1"})
    EXPECT_FALSE(directory_name_from_text(text)) << text;
}

// -- The fate of a guard.

TEST(guard_fate, is_known_of_one_in_the_same_namespace) {
  EXPECT_EQ(fate_of(guard_in(here), seen({{7, 7, here, 1000}})), process_fate::lives);
  EXPECT_EQ(fate_of(guard_in(here), seen({})), process_fate::gone);
}

TEST(guard_fate, is_not_that_of_a_later_process_of_its_number) {
  EXPECT_EQ(fate_of(guard_in(here), seen({{7, 7, here, 2000}})), process_fate::gone);
}

TEST(guard_fate, is_known_of_one_in_a_container_that_is_seen) {
  const seen_process leftover{50, 9, inside, 1500};

  EXPECT_EQ(fate_of(guard_in(inside), seen({leftover, {40, 7, inside, 1000}})),
            process_fate::lives);
  EXPECT_EQ(fate_of(guard_in(inside), seen({leftover})), process_fate::gone);
}

TEST(guard_fate, is_not_that_of_the_process_with_its_number_here) {
  // By PID and start time alone this guard would seem dead.
  EXPECT_EQ(fate_of(guard_in(inside), seen({{7, 7, here, 3}, {40, 7, inside, 1000}})),
            process_fate::lives);
}

TEST(guard_fate, is_unknown_where_its_namespace_is_out_of_sight) {
  EXPECT_EQ(fate_of(guard_in(around), seen({})), process_fate::unknown);
}

TEST(guard_fate, is_unknown_after_another_boot_and_without_one) {
  auto name = guard_in(here);
  name.boot = "another";
  EXPECT_EQ(fate_of(name, seen({})), process_fate::unknown);

  name.boot = "";
  auto view = seen({});
  view.boot = "";
  EXPECT_EQ(fate_of(name, view), process_fate::unknown);
}

TEST(guard_fate, is_unknown_where_a_hidden_process_may_be_it) {
  const seen_process leftover{50, 9, inside, 1500};

  EXPECT_EQ(fate_of(guard_in(inside), seen({leftover, {40, 7, std::nullopt, 1000}})),
            process_fate::unknown);
  EXPECT_EQ(fate_of(guard_in(inside), seen({leftover, {40, 8, std::nullopt, 1000}})),
            process_fate::gone);
}

TEST(guard_fate, is_unknown_where_beginnings_are_counted_otherwise) {
  auto name = guard_in(here);
  name.clock = 2;

  EXPECT_EQ(fate_of(name, seen({{7, 7, here, 5000}})), process_fate::unknown);
  EXPECT_EQ(fate_of(name, seen({})), process_fate::gone);
}

// -- The owner of a process.

leftover_verdict judged(const trial_process_facts& x) {
  return judge_leftover(x, ours);
}

TEST(leftovers, are_those_of_our_directory_whose_guard_is_gone) {
  EXPECT_EQ(judged({true, ours, ours, process_fate::gone}), leftover_verdict::leftover);
  EXPECT_EQ(judged({true, ours, ours, process_fate::lives}), leftover_verdict::not_ours);
}

TEST(leftovers, are_not_known_by_their_path_alone) {
  // The same path in another container, where it is another directory.
  EXPECT_EQ(judged({true, other, other, process_fate::gone}), leftover_verdict::not_ours);
  EXPECT_EQ(judged({true, other, std::nullopt, process_fate::gone}), leftover_verdict::not_ours);
  EXPECT_EQ(judged({true, std::nullopt, other, process_fate::gone}), leftover_verdict::not_ours);
}

TEST(leftovers, are_known_by_their_directory_under_another_path) {
  EXPECT_EQ(judged({false, ours, std::nullopt, process_fate::gone}), leftover_verdict::leftover);
}

TEST(leftovers, are_known_where_their_directory_was_made_anew) {
  EXPECT_EQ(judged({true, other, ours, process_fate::gone}), leftover_verdict::leftover);
}

TEST(leftovers, are_left_alone_where_nobody_can_tell) {
  EXPECT_EQ(judged({true, ours, ours, process_fate::unknown}), leftover_verdict::unclear);
  EXPECT_EQ(judged({true, std::nullopt, std::nullopt, process_fate::gone}),
            leftover_verdict::unclear);
  EXPECT_EQ(judged({true, std::nullopt, std::nullopt, process_fate::lives}),
            leftover_verdict::not_ours);
}

TEST(leftovers, are_none_of_other_directories) {
  for (auto guard : {process_fate::gone, process_fate::unknown, process_fate::lives})
    EXPECT_EQ(judged({false, other, other, guard}), leftover_verdict::not_ours);
}

} // namespace
} // namespace tune
