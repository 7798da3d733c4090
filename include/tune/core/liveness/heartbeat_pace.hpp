/// How often a node shows its head that it lives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/liveness/liveness_rules.hpp"

#include <algorithm>
#include <cstdint>

namespace tune {

/// Time between two heartbeats while they are answered. Most of what an idle node costs its head
/// are heartbeats, so there are three within `lost_after` where that is long, and as many as in
/// trouble where a third of it is short.
[[nodiscard]] constexpr instant calm_interval(instant lost_after) {
  constexpr int calm_beats = 3;
  return lost_after >= default_lost_after ? lost_after / calm_beats
                                          : lost_after / liveness_rules::beats;
}

/// Decides when the next heartbeat is due. A pure value.
class heartbeat_pace {
public:
  explicit heartbeat_pace(const liveness_rules& rules) : rules_{rules} {}

  /// @param number Of the heartbeat, from 1.
  void sent(std::uint64_t number) { sent_ = number; }
  /// The head answered that it counts on the node.
  void answered(std::uint64_t number) { answered_ = std::max(answered_, number); }

  /// Time from the last heartbeat to the next one: the shorter one if the last but one was not
  /// answered by then.
  [[nodiscard]] instant wait() const {
    return sent_ > answered_ + 1 ? rules_.interval() : calm_interval(rules_.lost_after);
  }

private:
  liveness_rules rules_;
  std::uint64_t sent_ = 0;
  std::uint64_t answered_ = 0;
};

} // namespace tune
