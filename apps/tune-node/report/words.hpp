/// The summary of a report in sentences, and the tables that belong to it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/study.hpp"

#include <array>
#include <string>
#include <vector>

namespace tune::cli {

/// Sentences of one paragraph each. They hold texts from outside, unescaped.
using paragraphs = std::vector<std::string>;

/// The space, the budget, who proposed and who judged, and how it ended.
[[nodiscard]] paragraphs searched_words(const study& x);
/// The winner, and its lead against noise.
[[nodiscard]] paragraphs won_words(const study& x);
/// The parameters that mattered, and those that did not.
[[nodiscard]] paragraphs mattered_words(const study& x);
/// Where the budget went, and what stopping saved.
[[nodiscard]] paragraphs spent_words(const study& x);

/// What the trials of one fate have cost.
struct spent_share {
  trial_fate fate = trial_fate::finished;
  std::uint64_t trials = 0;
  /// Those of them that never had a number; see `never_had_a_number`.
  std::uint64_t without_number = 0;
  std::uint64_t iterations = 0;
  double time_s = 0;
};
/// By fate, in the order of `trial_fate`; all of them, also those with no trial.
[[nodiscard]] std::array<spent_share, trial_fate_count> spent_by_fate(const study& x);

/// "00003", "00003 (which failed later)".
[[nodiscard]] std::string trial_text(const study_trial& x);

/// "ran to their end", "stopped by the scheduler", …
[[nodiscard]] std::string fate_text(trial_fate x);

/// A duration as people read it: "1h02m".
[[nodiscard]] std::string seconds_text(double seconds);

/// A share of a whole: "12.5 %"; "–" where the whole is nothing.
[[nodiscard]] std::string share_text(double part, double whole);

} // namespace tune::cli
