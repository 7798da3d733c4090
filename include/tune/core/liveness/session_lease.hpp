/// The node's end of liveness: for how long it may still believe that its head counts on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/liveness/liveness_rules.hpp"

#include <cstdint>
#include <map>

namespace tune {

/// A lease that heartbeats prolong. A value: time comes in as argument, of a clock that goes on
/// while the machine sleeps.
///
/// It runs from *sending* the heartbeat that was answered, while the head's view of the node runs
/// from *receiving* it: so the node's ends first. Once it has ended nothing prolongs it: the node
/// has to come back to its head, which says what may go on.
class session_lease {
public:
  enum class state : std::uint8_t {
    /// The head counts on the node.
    held,
    /// It may not any more: nothing is reported and nothing begun.
    frozen,
    /// It does not any more: what runs is to be ended.
    lost,
  };

  /// @param now When the node said that it is there.
  session_lease(liveness_rules rules, instant now);

  /// A heartbeat is sent. @returns its number, from 1.
  std::uint64_t beat(instant now);
  /// The head answered it. Without effect where that is old or unknown, or comes too late.
  void answered(std::uint64_t number, instant now);
  /// The head says that it does not count on the node.
  void revoke(instant now);

  /// When it ends.
  [[nodiscard]] instant ends() const { return ends_; }
  /// When what runs is to be ended, unless the head says otherwise before.
  [[nodiscard]] instant lost_at() const { return ends_ + rules_.lost_after; }
  [[nodiscard]] state at(instant now) const;

private:
  liveness_rules rules_;
  instant ends_;
  bool ended_ = false;
  std::uint64_t last_ = 0;
  /// When those were sent that were not answered, the newest some.
  std::map<std::uint64_t, instant> sent_;
};

} // namespace tune
