// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/metric_column.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using namespace tune;

TEST(metric_column, has_the_name_of_the_metric_unless_another_column_has_it) {
  constexpr std::array<std::string_view, 2> others{"trial", "status"};

  EXPECT_EQ(metric_column("loss", others), "loss");
  EXPECT_EQ(metric_column("status", others), "metric.status");
  EXPECT_EQ(metric_column("config.lr", others), "metric.config.lr");
  EXPECT_EQ(metric_column("metric.loss", others), "metric.metric.loss");
}

} // namespace
