/// When the nodes of an experiment were away, and what was granted on them, from the events of its
/// record.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/placement.hpp"
#include "tune/io/store/scan_rows.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// Follows events, in the order of the log.
class node_track {
public:
  /// A time during which a node was away.
  struct absence {
    std::string node;
    instant from{0};
    /// Empty: it has not come back.
    std::optional<instant> to;
    std::string why;
  };
  /// What the newest attempt of a trial was granted.
  struct placement {
    attempt_id attempt;
    std::vector<bundle_grant> bundles;
  };
  /// Absences that are kept; of more the first.
  static constexpr std::size_t most = 10'000;

  void read(const raw_event& x);
  [[nodiscard]] const std::vector<absence>& absences() const { return absences_; }
  /// Of trials whose newest attempt has not ended; it may have been lost with its node.
  [[nodiscard]] const std::map<trial_id, placement>& placements() const { return placements_; }
  /// The last event that was read; 0: none.
  [[nodiscard]] sequence last() const { return last_; }

private:
  std::vector<absence> absences_;
  /// By node the absence that has not ended.
  std::map<std::string, std::size_t> open_;
  std::map<trial_id, placement> placements_;
  sequence last_ = 0;

  void read_attempt(const raw_event& x);
};

} // namespace tune::cli
