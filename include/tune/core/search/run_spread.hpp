/// Spread of the runs of one configuration, and the uncertainty of values made of several runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace tune {

/// The runs that one value was made of.
struct run_spread {
  /// Number of runs that had a value. [>= 1]
  std::uint32_t runs = 1;
  /// Sum of the squared deviations of their values from the mean. [>= 0]
  double squares = 0;
  /// Factor by which the value's variance is less than that of a single run: for a mean the number
  /// of runs. [> 0]
  double worth = 1;
};

/// The variance of a single run, pooled from all configurations: their means differ, but the noise
/// is assumed to be the same.
class pooled_spread {
public:
  void add(const std::optional<run_spread>& x) {
    if (!x)
      return;
    squares_ += x->squares;
    freedom_ += x->runs - 1;
  }
  /// Σ squares / Σ (runs - 1). 0 if no configuration has two runs: nothing is known.
  [[nodiscard]] double variance() const {
    return freedom_ > 0 ? squares_ / static_cast<double>(freedom_) : 0;
  }
  /// The squared standard error of a value.
  [[nodiscard]] double variance_of(const std::optional<run_spread>& x) const {
    return x ? variance() / x->worth : 0;
  }

private:
  double squares_ = 0;
  std::uint64_t freedom_ = 0;
};

} // namespace tune
