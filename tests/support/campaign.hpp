/// Simulates thousands of experiments, each with different faults, to test the promises.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/judges.hpp"

#include "tune/core/simulate/simulation.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tune::support {

/// The outcome of one schedule.
struct schedule_result {
  findings found;
  std::uint64_t events = 0;
  std::uint64_t heads = 1;
  std::uint64_t nodes_lost = 0;
  bool finished = false;
};

/// Runs one experiment of 20 trials of 10 reports on 3 nodes; `seed` determines everything else: 5
/// sudden faults, failures of trainables, saves and restores, doubled and late messages, delayed
/// answers and commits, retention, stop conditions and retries. It is checked on the way and at the
/// end.
[[nodiscard]] schedule_result run_schedule(const judge& who, std::uint64_t seed);

/// Runs schedules with seeds from `first` on until one has a finding, or `count` have run.
struct campaign_result {
  std::uint64_t schedules = 0;
  std::uint64_t events = 0;
  std::uint64_t heads = 0;
  std::uint64_t nodes_lost = 0;
  /// The first seed with findings, if any.
  std::optional<std::uint64_t> failed;
  findings found;
};
[[nodiscard]] campaign_result run_campaign(const judge& who, std::uint64_t first,
                                           std::uint64_t count);

/// Simulates `trials` trials of 10 reports each on 8 nodes of 8 slots, without a disk and without
/// faults: measures the cost of the core alone.
[[nodiscard]] std::unique_ptr<simulation> large_simulation(const judge& who, std::uint64_t trials);

/// "toy, seed 17: event 12, trial 00003: …", one line per finding; empty if there is none.
[[nodiscard]] std::string text_of(const judge& who, const campaign_result& x);

} // namespace tune::support
