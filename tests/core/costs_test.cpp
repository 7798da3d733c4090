// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/costs.hpp"

#include "tune/core/experiment/constraints.hpp"
#include "tune/core/stop/stopper.hpp"

#include "support/run_by_hand.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tune {
namespace {

cost_sheet sheet(double cpu, double peak) {
  cost_sheet result;
  result.set(cost_kind::cpu_s, cpu);
  result.set(cost_kind::peak_rss_bytes, peak);
  return result;
}

TEST(cost_sheet, adds_amounts_up_and_keeps_the_larger_peak) {
  auto uut = sheet(1.5, 4096);

  uut.add(sheet(2, 1024));

  EXPECT_EQ(uut.of(cost_kind::cpu_s), 3.5);
  EXPECT_EQ(uut.of(cost_kind::peak_rss_bytes), 4096);
  EXPECT_FALSE(uut.of(cost_kind::energy_j));
}

TEST(cost_sheet, takes_a_later_measurement_only_where_it_is_larger) {
  auto uut = sheet(1.5, 4096);

  uut.raise(sheet(1.25, 8192));

  EXPECT_EQ(uut, sheet(1.5, 8192));
}

TEST(cost_sheet, tells_what_came_since_an_earlier_one) {
  EXPECT_EQ(sheet(3, 4096).since(sheet(1, 8192)), sheet(2, 4096));
}

TEST(cost_sheet, leaves_out_what_is_no_amount) {
  cost_sheet uut;

  uut.set(cost_kind::cpu_s, std::nan(""));
  uut.set(cost_kind::gpu_s, -1);
  uut.set(cost_kind::energy_j, std::numeric_limits<double>::infinity());

  EXPECT_TRUE(uut.empty());
  EXPECT_EQ(to_record(uut), nullptr);
}

TEST(cost_sheet, goes_into_a_record_and_comes_back) {
  const auto record = to_record(sheet(0.25, 4096));

  ASSERT_NE(record, nullptr);
  EXPECT_EQ(*record, (object{{"cpu_s", 0.25}, {"peak_rss_bytes", 4096}}));
  EXPECT_EQ(from_record(record), sheet(0.25, 4096));
}

TEST(cost_sheet, skips_what_a_record_has_of_another_kind) {
  EXPECT_TRUE(cost_sheet::from(object{{"cpu_s", "much"}, {"tea", 1}}).empty());
}

TEST(cost_sheet, joins_the_metrics_of_a_report_and_respects_its_own) {
  object metrics{{"loss", 0.5}, {"tune", value{object{{"cpu_s", 7}}}}};

  sheet(0.25, 4096).join(metrics);

  EXPECT_EQ(*find_path(metrics, "tune/cpu_s")->as_int(), 7);
  EXPECT_EQ(*find_path(metrics, "tune/peak_rss_bytes")->as_int(), 4096);
  EXPECT_EQ(cost_sheet::among(metrics), sheet(7, 4096));
}

TEST(costs, have_names_that_constraints_and_stop_conditions_take) {
  for (auto name : cost_metrics) {
    const std::string text{name};
    EXPECT_TRUE(is_cost(name));
    EXPECT_TRUE(parse_constraints(text + " <= 2")) << text;
    EXPECT_TRUE(make_stoppers({{text, "2"}})) << text;
    EXPECT_TRUE(make_stoppers({{"when", text + " >= 2 and loss < 1"}})) << text;
  }
  EXPECT_FALSE(is_cost("tune/tea"));
  EXPECT_FALSE(is_cost("cpu_s"));
}

struct costs_of_trials : testing::Test, support::run_by_hand {
  void end_with(end_class how, metrics_ptr costs) {
    post(on::ended{zero, attempt, how, "why", {}, false, std::move(costs)});
  }
  [[nodiscard]] cmd::attempt_changed last_attempt() const {
    return ports.all<cmd::attempt_changed>().back();
  }
};

TEST_F(costs_of_trials, are_written_down_with_each_attempt) {
  open();
  run();
  report();

  end_with(end_class::finished, to_record(sheet(1, 4096)));

  EXPECT_EQ(from_record(last_attempt().costs), sheet(1, 4096));
}

TEST_F(costs_of_trials, go_on_with_the_next_attempt) {
  settings.failures.budget[static_cast<std::size_t>(end_class::killed)] = 2;
  open();
  run();
  EXPECT_EQ(launched().costs, nullptr);
  end_with(end_class::killed, to_record(sheet(1, 4096)));
  run();
  EXPECT_EQ(from_record(launched().costs), sheet(1, 4096));
  end_with(end_class::killed, to_record(sheet(2, 1024)));

  run();

  EXPECT_EQ(from_record(launched().costs), sheet(3, 4096));
}

TEST_F(costs_of_trials, are_those_of_the_last_report_if_a_node_is_lost) {
  settings.failures.budget[static_cast<std::size_t>(end_class::node_lost)] = 2;
  open();
  run();
  auto what = std::make_shared<tune::report>();
  what->trial = zero;
  what->attempt = attempt;
  what->number = what->iteration = 1;
  what->metrics = std::make_shared<object>(object{{"loss", 1}, {"tune/cpu_s", 2.5}});
  post(on::reported{what});

  post(on::node_down{"here", "silence"});

  cost_sheet known;
  known.set(cost_kind::cpu_s, 2.5);
  EXPECT_EQ(from_record(last_attempt().costs), known);
}

} // namespace
} // namespace tune
