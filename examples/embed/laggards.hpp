/// A user-defined scheduler: one class and one entry of a catalogue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tune/core/schedule/fifo_queue.hpp>
#include <tune/core/schedule/scheduler.hpp>

#include <map>

namespace embed {

/// Stops a trial whose score after `grace` iterations is behind the best of all by `margin`.
class laggards : public tune::scheduler {
public:
  laggards(std::uint64_t grace, double margin) : grace_{grace}, margin_{margin} {}

  [[nodiscard]] tune::scheduler_traits traits() const override { return {}; }
  void apply(const tune::scheduler_fact& what) override;
  [[nodiscard]] tune::decision judge(tune::sequence cause, tune::trial_id trial) const override;
  [[nodiscard]] tune::choice choose(tune::sequence at, std::uint32_t count) const override;
  [[nodiscard]] tune::decision on_stall(tune::sequence at) const override;
  void describe(tune::fingerprint& into) const override;

private:
  std::uint64_t grace_;
  double margin_;
  /// Trials in the order of their suggestion.
  tune::fifo_queue queue_;
  struct standing {
    std::uint64_t iteration = 0;
    double score = 0;
  };
  /// Standings of trials that have not ended.
  std::map<tune::trial_id, standing> standings_;
  std::optional<double> best_;
};

/// The entry by which the INI file and `list schedulers` know it.
[[nodiscard]] tune::scheduler_catalogue::entry laggards_entry();

} // namespace embed
