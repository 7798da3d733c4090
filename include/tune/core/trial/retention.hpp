/// Which checkpoints of a trial are worth their room.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// How many checkpoints stay. What somebody still needs stays on top of that: the newest good one
/// of each trial, what is being restored, what another trial goes on from, and the checkpoint that
/// goes with the best metrics of all.
struct retention_policy {
  /// Of a trial. 0 = all.
  std::uint64_t keep = 0;
  /// Metric that ranks them; empty: the newest are the best.
  std::string score_attribute;
  /// Greater scores are better.
  bool maximise = true;
  /// Of a trial, and of all trials together. 0 = no limit. [bytes]
  std::uint64_t trial_bytes = 0;
  std::uint64_t experiment_bytes = 0;

  [[nodiscard]] bool limits_trials() const { return keep > 0 || trial_bytes > 0; }
};

/// What a checkpoint is worth. Greater is better.
struct checkpoint_worth {
  checkpoint_id id;
  /// It can be restored.
  bool good = true;
  /// The metric at its iteration, greater being better; none: there was no number.
  std::optional<double> score;

  /// The good before the bad, scores before none, then the newer.
  friend bool operator<(const checkpoint_worth& a, const checkpoint_worth& b);
};

/// A checkpoint that competes for room.
struct kept_checkpoint {
  checkpoint_worth worth;
  std::uint64_t bytes = 0;
  /// Somebody needs it.
  bool pinned = false;
};

/// The checkpoints of one trial that have to go: of all in the order of their worth the first
/// `keep` stay, as long as they and the pinned ones fit into `trial_bytes`; pinned ones always do.
[[nodiscard]] std::vector<checkpoint_id> superfluous(const retention_policy& policy,
                                                     std::vector<kept_checkpoint> of_trial);

} // namespace tune
