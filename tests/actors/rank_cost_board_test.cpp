// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/actors/rank_cost_board.hpp"

#include "../../src/actors/rank_ends.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tune {
namespace {

cost_sheet costs(double cpu, double peak) {
  cost_sheet result;
  result.set(cost_kind::cpu_s, cpu);
  result.set(cost_kind::peak_rss_bytes, peak);
  return result;
}

/// A report of rank 0 as its node sends it.
metrics_ptr sent(object metrics, const cost_sheet& before, const cost_sheet& of_attempt) {
  leave_costs(metrics, of_attempt);
  auto all = before;
  all.add(of_attempt);
  all.join(metrics);
  return std::make_shared<const object>(std::move(metrics));
}

TEST(rank_cost_board, adds_up_what_ranks_told_last) {
  rank_cost_board uut;

  uut.note(1, costs(1, 100));
  uut.note(2, costs(2, 50));
  uut.note(1, costs(4, 80));

  EXPECT_EQ(uut.sum(), costs(6, 150));
}

TEST(costs_of_ranks_in_reports, are_those_of_all) {
  const auto told = with_costs_of_ranks(sent({{"loss", 0.5}}, {}, costs(1, 100)), {}, costs(2, 30));

  EXPECT_EQ(*told, (object{{"loss", 0.5}, {"tune/cpu_s", 3.0}, {"tune/peak_rss_bytes", 130}}));
}

TEST(costs_of_ranks_in_reports, count_attempts_before_once) {
  // There all ranks together had their peak.
  const auto before = costs(10, 140);

  const auto told = with_costs_of_ranks(sent({}, before, costs(1, 100)), before, costs(2, 30));

  EXPECT_EQ(*told, (object{{"tune/cpu_s", 13.0}, {"tune/peak_rss_bytes", 140}}));
}

TEST(costs_of_ranks_in_reports, respect_what_the_program_reports_itself) {
  const auto told
      = with_costs_of_ranks(sent({{"tune/cpu_s", 7}}, {}, costs(1, 100)), {}, costs(2, 30));

  EXPECT_EQ(*told, (object{{"tune/cpu_s", 7}, {"tune/peak_rss_bytes", 130}}));
}

TEST(costs_of_ranks_in_reports, have_kinds_that_only_others_know) {
  cost_sheet others;
  others.set(cost_kind::energy_j, 5);

  const auto told = with_costs_of_ranks(sent({}, {}, costs(1, 100)), {}, others);

  EXPECT_EQ(cost_sheet::among(*told).of(cost_kind::energy_j), 5);
}

TEST(costs_of_ranks_in_reports, leave_alone_what_no_node_has_left) {
  const auto plain = std::make_shared<const object>(object{{"loss", 1}});
  const auto strange = std::make_shared<const object>(object{{"tune/costs", "many"}});

  EXPECT_EQ(with_costs_of_ranks(plain, {}, costs(1, 1)), plain);
  EXPECT_EQ(with_costs_of_ranks(strange, {}, costs(1, 1)), strange);
  EXPECT_EQ(with_costs_of_ranks(nullptr, {}, costs(1, 1)), nullptr);
}

TEST(end_of_ranks, adds_up_the_costs_of_all) {
  attempt_ended first;
  first.costs.content = to_record(costs(1, 100));
  auto second = first;
  second.costs.content = to_record(costs(2, 30));

  const auto all = joint_end({{0, first}, {1, second}, {2, attempt_ended{}}}, 0, {});

  EXPECT_EQ(from_record(all.costs.content), costs(3, 130));
}

} // namespace
} // namespace tune
