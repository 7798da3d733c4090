/// What to try next: rules over a study, each with the numbers that it goes by.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/study.hpp"

#include <string>
#include <vector>

namespace tune::cli {

/// What a rule found.
struct finding {
  /// The rule's name, for programs.
  std::string rule;
  /// What was found, in a few words. Both texts may hold names from outside.
  std::string title;
  /// The numbers, and what they suggest.
  std::string text;
};

using findings = std::vector<finding>;

// Each rule says nothing where it does not hold. All of them look at trials of the search alone.

/// No trial reported a number for the metric.
[[nodiscard]] findings nothing_measured(const study& x);
/// The winner misses a constraint.
[[nodiscard]] findings constraint_missed(const study& x);
/// The winner lies within 5 % of an end of a range, on its scale, and so do at least half of the
/// best tenth (at least 4 trials) within 10 %. From 12 trials with a number on.
[[nodiscard]] findings edges_of_ranges(const study& x);
/// Parameters that mattered no more than chance, with less than 5 % of the importance. From 30
/// trials with a number on.
[[nodiscard]] findings idle_parameters(const study& x);
/// At least 5 failures, and one part of a parameter (a third of its range, or one of its values)
/// fails at least three times as often as the rest, and has at least 60 % of all failures.
[[nodiscard]] findings failing_regions(const study& x);
/// From 20 trials on: the best came in the last tenth of them, so the search was still rising; or
/// in the first half and nothing better came, so it stood.
[[nodiscard]] findings rising_or_standing(const study& x);
/// The winner made more than a tenth of what it gained in the last tenth of its iterations (at
/// least 10 reports).
[[nodiscard]] findings winner_was_learning(const study& x);
/// Fewer than 10 trials with a number for each parameter that is searched.
[[nodiscard]] findings few_for_dimensions(const study& x);
/// Trials that the scheduler stopped although they were better than the winner at that iteration.
[[nodiscard]] findings stopped_ahead(const study& x);
/// The winner leads by less than twice the spread of its own runs; or no configuration ran twice,
/// and the lead is less than the spread of the next four.
[[nodiscard]] findings lead_within_noise(const study& x);

/// All of them, the gravest first.
[[nodiscard]] findings all_findings(const study& x);

} // namespace tune::cli
