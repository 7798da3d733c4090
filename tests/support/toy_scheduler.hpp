/// A scheduler for tests that uses everything a scheduler may do, as decided by a seed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/rng.hpp"
#include "tune/core/schedule/scheduler.hpp"

#include <map>
#include <set>

namespace tune::support {

/// Pauses, promotes, clones and stops the judged trial and others.
class toy_scheduler : public scheduler {
public:
  explicit toy_scheduler(std::uint64_t seed) : seed_{seed} {}

  [[nodiscard]] scheduler_traits traits() const override { return {"training_iteration", 2, true}; }

  void apply(const scheduler_fact& what) override;
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override;
  [[nodiscard]] choice choose(sequence at, std::uint32_t count) const override;
  [[nodiscard]] decision on_stall(sequence at) const override;
  void describe(fingerprint& into) const override;

private:
  std::uint64_t seed_;
  std::set<trial_id> queue_;
  std::set<trial_id> running_;
  std::set<trial_id> paused_;
  std::map<trial_id, checkpoint_id> checkpoints_;
  std::map<trial_id, config_ptr> configs_;
  std::map<trial_id, double> scores_;
  std::uint64_t refusals_ = 0;

  void forget(trial_id trial);
};

/// Lets every trial go on, first come, first served.
class obliging_scheduler : public toy_scheduler {
public:
  obliging_scheduler() : toy_scheduler{0} {}
  [[nodiscard]] decision judge(sequence cause, trial_id trial) const override {
    return {cause, {{trial, go_on{}, {}}}};
  }
};

} // namespace tune::support
