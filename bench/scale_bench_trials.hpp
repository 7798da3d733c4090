/// The trials of tune_scale_bench, and what their nodes need for them: actors that report at a pace
/// which can be changed while they run, and do nothing else.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/actors.hpp"
#include "tune/trainable/trainable.hpp"

#include <chrono>
#include <cstdint>
#include <memory>

namespace tune::bench {

/// All trials of a process.
class paced_trials {
public:
  struct shared;
  struct tally {
    /// Trials that run now, and reports that were answered.
    std::uint64_t running = 0;
    std::uint64_t answered = 0;
  };

  paced_trials();

  /// What a node needs to run them.
  [[nodiscard]] std::shared_ptr<const trainable_registry> registry() const;
  /// Time between two reports of a trial. 0: as fast as they are answered; below: no report at all.
  void set_pace(std::chrono::microseconds pace);
  [[nodiscard]] tally counts() const;

private:
  std::shared_ptr<shared> shared_;
};

/// Stands in for what brings jobs to a worker: every job consists of such trials.
[[nodiscard]] job_lookup_actor spawn_finder(caf::actor_system& system);
/// Stands in for what brings checkpoints to the head: the trials make none.
[[nodiscard]] checkpoint_service_actor spawn_idle_checkpoint_service(caf::actor_system& system);

} // namespace tune::bench
