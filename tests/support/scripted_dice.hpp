/// Dice whose results a test sets in advance.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/schedule/pbt/explorer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <utility>

namespace tune::support {

/// Returns the given draws in order; one draw too many is a failure.
class scripted_dice final : public pbt::dice {
public:
  scripted_dice(std::deque<double> units, std::deque<std::uint64_t> indices)
      : units_{std::move(units)}, indices_{std::move(indices)} {}

  [[nodiscard]] double unit() override { return take(units_); }
  [[nodiscard]] std::uint64_t below(std::uint64_t n) override {
    auto result = take(indices_);
    EXPECT_LT(result, n);
    return result < n ? result : 0;
  }

private:
  std::deque<double> units_;
  std::deque<std::uint64_t> indices_;

  template <class Draws>
  static typename Draws::value_type take(Draws& from) {
    if (from.empty()) {
      ADD_FAILURE() << "more is drawn than expected";
      return {};
    }
    auto result = from.front();
    from.pop_front();
    return result;
  }
};

} // namespace tune::support
