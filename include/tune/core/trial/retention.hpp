/// Decides which checkpoints of a trial to keep.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Number and size of checkpoints to keep. Checkpoints that are still needed are kept in addition:
/// the newest good one of each trial, one being restored, one that another trial goes on from, and
/// the one that belongs to the best metrics of all.
struct retention_policy {
  /// Number per trial. 0 = all.
  std::uint64_t keep = 0;
  /// Metric that ranks the checkpoints; empty: the newest are the best.
  std::string score_attribute;
  /// True if greater scores are better.
  bool maximise = true;
  /// Total size per trial, and of all trials together. 0 = no limit. [bytes]
  std::uint64_t trial_bytes = 0;
  std::uint64_t experiment_bytes = 0;

  [[nodiscard]] bool limits_trials() const { return keep > 0 || trial_bytes > 0; }
};

/// Rank of a checkpoint. Greater is better.
struct checkpoint_worth {
  checkpoint_id id;
  /// True if it can be restored.
  bool good = true;
  /// The metric at its iteration, greater is better; empty: there was no number.
  std::optional<double> score;

  /// Good ones before bad ones, then those with a score before those without, then the newer.
  friend bool operator<(const checkpoint_worth& a, const checkpoint_worth& b);
};

/// A checkpoint that competes for room.
struct kept_checkpoint {
  checkpoint_worth worth;
  std::uint64_t bytes = 0;
  /// True if it is still needed.
  bool pinned = false;
};

/// The checkpoints of one trial that have to be removed: in the order of their rank the first
/// `keep` stay, as long as they and the pinned ones fit into `trial_bytes`; pinned ones always
/// stay.
[[nodiscard]] std::vector<checkpoint_id> superfluous(const retention_policy& policy,
                                                     std::vector<kept_checkpoint> of_trial);

} // namespace tune
