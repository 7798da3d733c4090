/// Works out from a log alone which checkpoint belongs to the best metrics.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"
#include "tune/core/experiment/event.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tune::support {

/// Tracks checkpoints the way a reader of the record does: from events and rows of attempts. The
/// loss is the metric `loss`; smaller is better.
class best_of_log {
public:
  void see(const event& what);
  void see(const command& what);
  /// The location of the checkpoint of the best report that has one, among the trial's own
  /// checkpoints and those that its attempts started from. Ties go to the trial's own, then to the
  /// older one. Empty if there is none.
  [[nodiscard]] std::string checkpoint_of(trial_id trial) const;

private:
  struct made {
    trial_id trial;
    attempt_id attempt;
    std::uint64_t iteration = 0;
    std::string location;
  };

  [[nodiscard]] double loss_of(const made& x) const;

  /// Checkpoints that can be restored.
  std::map<checkpoint_id, made> good_;
  /// Losses by attempt and iteration.
  std::map<std::pair<attempt_id, std::uint64_t>, double> losses_;
  std::set<std::pair<trial_id, checkpoint_id>> taken_over_;
};

} // namespace tune::support
