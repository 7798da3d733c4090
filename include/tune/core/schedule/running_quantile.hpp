/// A quantile of a growing set of numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/fingerprint.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tune {

/// Tracks one quantile of all inserted numbers: O(log n) per number, O(1) per query.
///
/// With the n numbers sorted as x, p = (n - 1) q, i = ⌊p⌋, f = p - i, a = x[i], b = x[i + 1], the
/// quantile is a + (b - a) f if f < 0.5 and b - (b - a)(1 - f) otherwise: NumPy's linear
/// interpolation, to the last bit. If that would compute with an infinity, it is the lower
/// neighbour a instead of NaN. NaNs are ignored.
class running_quantile {
public:
  /// @param q The quantile. [0, 1]
  explicit running_quantile(double q) : q_{q} {}

  void insert(double x);
  /// Empty until a number was inserted.
  [[nodiscard]] std::optional<double> value() const;
  /// Number of inserted numbers.
  [[nodiscard]] std::uint64_t count() const { return low_.size() + high_.size(); }

  /// Adds all state to `into`.
  void describe(fingerprint& into) const;

private:
  double q_;
  /// Heap of the i + 1 smallest numbers, largest on top; heap of the others, smallest on top.
  std::vector<double> low_;
  std::vector<double> high_;
};

} // namespace tune
