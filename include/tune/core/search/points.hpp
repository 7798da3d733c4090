/// `points_to_evaluate`: configurations, whole or in part, that are tried first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/space/space.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tune {

/// Points to evaluate, checked against a space and laid out by parameter.
class initial_points {
public:
  initial_points() = default;

  /// @errors those of `search_space::reject`, with the point's number (from 1) in front. Unlike in
  ///         Ray Tune a value outside its domain is an error, too.
  [[nodiscard]] static expected<initial_points> make(const search_space& space,
                                                     const std::vector<object>& points);

  [[nodiscard]] std::size_t size() const { return count_; }
  /// The value that point number `point` (from 0) gives to parameter `i`; null if it leaves that
  /// open. Whole numbers given for floats have become floats.
  [[nodiscard]] const value* fixed(std::size_t point, std::size_t i) const {
    const auto& x = fixed_[point * parameters_ + i];
    return x ? &*x : nullptr;
  }

  /// Values of point number `point` (from 0), one per parameter: open ones are drawn, repeatedly
  /// until the point keeps the constraint of the space, 10,000 times at most.
  [[nodiscard]] std::vector<value> filled(std::size_t point, const search_space& space,
                                          rng from) const;

private:
  std::size_t count_ = 0;
  std::size_t parameters_ = 0;
  std::vector<std::optional<value>> fixed_;
};

} // namespace tune
