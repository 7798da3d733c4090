/// Which checkpoint belongs to the best metrics, worked out from a log alone.
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

/// Keeps books of checkpoints as readers of a record do: by events and rows of attempts. Losses are
/// metrics named `loss`, smaller is better.
class best_of_log {
public:
  void see(const event& what);
  void see(const command& what);
  /// The location of the checkpoint of the best report that has one, among the trial's own and
  /// those that an attempt of it began from; of equal ones its own counts, then the older. Empty:
  /// there is none.
  [[nodiscard]] std::string checkpoint_of(trial_id trial) const;

private:
  struct made {
    trial_id trial;
    attempt_id attempt;
    std::uint64_t iteration = 0;
    std::string location;
  };

  [[nodiscard]] double loss_of(const made& x) const;

  /// Those that can be restored.
  std::map<checkpoint_id, made> good_;
  /// By attempt and iteration.
  std::map<std::pair<attempt_id, std::uint64_t>, double> losses_;
  std::set<std::pair<trial_id, checkpoint_id>> taken_over_;
};

} // namespace tune::support
