/// What all attempts of an experiment trained, with what was done again or given up.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/store/scan_rows.hpp"
#include "tune/io/store/store_reader.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tune::cli {

/// Adds up the reports of the log as they come. What a trial took over with another's checkpoint
/// counts once, for the trial that trained it.
class trained_track {
public:
  /// Where an attempt began; empty: it is not known.
  using origin_source = std::function<std::optional<attempt_origin>(attempt_id)>;

  /// Takes the next report of the log into account.
  /// @param origin_of Asked where a trial reports from another attempt than before, or first from
  ///                  an attempt that had not begun from scratch.
  void read(const raw_result& x, const origin_source& origin_of);
  /// Takes an attempt into account that has not reported yet, or never did: what its trial has left
  /// behind for it.
  void begin(trial_id trial, attempt_id attempt, const origin_source& origin_of);

  [[nodiscard]] std::chrono::nanoseconds time() const { return time_; }
  [[nodiscard]] std::uint64_t reports() const { return reports_; }
  /// As many as `reports`, unless a report stands for several of them.
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  /// Training time of iterations that their trials had reported before, and of all that trials had
  /// trained before they began anew.
  [[nodiscard]] std::chrono::nanoseconds done_again() const { return done_again_; }
  /// Training time of trials that then took over another trial's checkpoint, without what they had
  /// done again.
  [[nodiscard]] std::chrono::nanoseconds given_up() const { return given_up_; }
  /// Whether a trial took over another's checkpoint.
  [[nodiscard]] bool has_clones() const { return has_clones_; }

private:
  /// What a trial has reported.
  struct standing {
    attempt_id attempt;
    std::uint64_t iteration = 0;
    /// By how many iterations a report is ahead of the one before it; 0: not known yet.
    std::uint64_t step = 0;
    /// Of `attempt`; 0: not asked for yet.
    lineage_id lineage = 0;
    /// The farthest iteration of the lineage.
    std::uint64_t farthest = 0;
    /// Training time of the lineage, without what was done again.
    std::chrono::nanoseconds fresh{0};
  };

  std::chrono::nanoseconds time_{0};
  std::chrono::nanoseconds done_again_{0};
  std::chrono::nanoseconds given_up_{0};
  std::uint64_t reports_ = 0;
  std::uint64_t iterations_ = 0;
  bool has_clones_ = false;
  /// By number of the trial.
  std::vector<standing> trials_;

  [[nodiscard]] static std::uint64_t step_of(const standing& last, const raw_result& x);
  void leave_behind(standing& own, attempt_id next, const origin_source& origin_of);
};

/// Asks the record. May be asked while its results are scanned.
[[nodiscard]] trained_track::origin_source origins_in(store_reader& from);

} // namespace tune::cli
