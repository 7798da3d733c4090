/// What all attempts of an experiment trained, with what was done again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/store/scan_rows.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace tune::cli {

/// Adds up the reports of the log as they come. What a trial took over with another's checkpoint
/// counts once, for the trial that trained it.
class trained_track {
public:
  /// Takes the next report of the log into account.
  void read(const raw_result& x);

  [[nodiscard]] std::chrono::nanoseconds time() const { return time_; }
  [[nodiscard]] std::uint64_t reports() const { return reports_; }
  /// As many as `reports`, unless a report stands for several of them.
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }

private:
  struct last_report {
    attempt_id attempt;
    std::uint64_t iteration = 0;
    /// By how many iterations a report is ahead of the one before it; 0: not known yet.
    std::uint64_t step = 0;
  };

  std::chrono::nanoseconds time_{0};
  std::uint64_t reports_ = 0;
  std::uint64_t iterations_ = 0;
  /// By number of the trial.
  std::vector<last_report> trials_;

  [[nodiscard]] static std::uint64_t step_of(const last_report& last, const raw_result& x);
};

} // namespace tune::cli
