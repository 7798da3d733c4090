/// Which trial of DEHB is for what: HyperBand's brackets, rung by rung.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tune::dehb {

/// What one trial is for.
struct job {
  /// Index of its budget.
  std::size_t budget = 0;
  /// Trials of its rung.
  std::size_t rung = 0;
  /// Trials of the rung below in the same bracket; 0: it is the lowest.
  std::size_t below = 0;
  /// It belongs to the first bracket of all, which knows nothing yet.
  bool is_first = false;
};

/// With top = ⌊log_η(most / least)⌋ the budgets are most · η^(i - top), i = 0 … top. Bracket s,
/// from top down to 0 and then from top again, begins with ⌈(top + 1) η^s / (s + 1)⌉ trials at
/// budget top - s; each rung has 1/η of the trials of the one below, rounded down, and one at
/// least.
class plan {
public:
  /// @param factor η. [>= 1.5]
  plan(double least, double most, double factor);
  /// One budget, and rungs of so many trials: differential evolution and nothing else. [>= 4]
  explicit plan(std::size_t population);

  /// Trials of the lowest rung of the first bracket that such a plan would have, however many.
  [[nodiscard]] static double trials_of_first_rung(double least, double most, double factor);

  /// @param number From 0.
  [[nodiscard]] job at(std::size_t number) const;
  /// Rising. NaN where there is one that has no value.
  [[nodiscard]] const std::vector<double>& budgets() const { return budgets_; }
  /// Of the population of a budget: its largest rung.
  [[nodiscard]] std::size_t population(std::size_t budget) const { return sizes_[budget]; }
  /// Trials of the lowest rung of the first bracket.
  [[nodiscard]] std::size_t first_rung() const { return jobs_.front().rung; }

private:
  std::vector<double> budgets_;
  std::vector<std::size_t> sizes_;
  /// Of all brackets once.
  std::vector<job> jobs_;
  std::size_t first_bracket_ = 0;

  void add_bracket(std::size_t s, std::size_t top, double factor);
};

} // namespace tune::dehb
