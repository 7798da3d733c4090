/// The plan of DEHB's trials: HyperBand's brackets, rung by rung.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace tune::dehb {

/// Purpose of one trial.
struct job {
  /// Index of its budget.
  std::size_t budget = 0;
  /// Number of trials in its rung.
  std::size_t rung = 0;
  /// Number of trials in the rung below in the same bracket; 0: it is the lowest.
  std::size_t below = 0;
  /// True if it belongs to the very first bracket, which has nothing to learn from.
  bool is_first = false;
};

/// With top = ⌊log_η(most / least)⌋ the budgets are most · η^(i - top), i = 0 … top. Bracket s,
/// from top down to 0 and then from top again, begins with ⌈(top + 1) η^s / (s + 1)⌉ trials at
/// budget top - s; each rung has 1/η of the trials of the one below, rounded down, but at least
/// one.
class plan {
public:
  /// @param factor η. [>= 1.5]
  plan(double least, double most, double factor);
  /// A plan with one budget, and rungs of `population` trials: differential evolution alone. [>= 4]
  explicit plan(std::size_t population);

  /// Number of trials in the lowest rung of the first bracket of such a plan, without any limit.
  [[nodiscard]] static double trials_of_first_rung(double least, double most, double factor);

  /// The job of trial `number`, counted from 0.
  [[nodiscard]] job at(std::size_t number) const;
  /// The budgets, rising. NaN for the only budget of a plan without one.
  [[nodiscard]] const std::vector<double>& budgets() const { return budgets_; }
  /// Size of the population of a budget: that of its largest rung.
  [[nodiscard]] std::size_t population(std::size_t budget) const { return sizes_[budget]; }
  /// Number of trials in the lowest rung of the first bracket.
  [[nodiscard]] std::size_t first_rung() const { return jobs_.front().rung; }

private:
  std::vector<double> budgets_;
  std::vector<std::size_t> sizes_;
  /// Jobs of one cycle of all brackets.
  std::vector<job> jobs_;
  std::size_t first_bracket_ = 0;

  void add_bracket(std::size_t s, std::size_t top, double factor);
};

} // namespace tune::dehb
