/// The node's end of liveness: how long it may believe that its head still counts on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/liveness/liveness_rules.hpp"

#include <cstdint>
#include <map>

namespace tune {

/// A lease that heartbeats extend. A value: time comes in as argument, from a clock that keeps
/// running while the machine sleeps.
///
/// The lease runs from *sending* the heartbeat that was answered, while the head's view of the node
/// runs from *receiving* it: so the lease ends before the head gives the node up. Once it has ended
/// nothing extends it: the node has to return to its head, which says what may go on.
class session_lease {
public:
  enum class state : std::uint8_t {
    /// The head counts on the node.
    held,
    /// The head may no longer count on the node: nothing is reported and nothing begins.
    frozen,
    /// The head no longer counts on the node: the programs on it are to be ended.
    lost,
  };

  /// @param now Time at which the node announced itself.
  session_lease(liveness_rules rules, instant now);

  /// A heartbeat is sent. @returns its number, from 1.
  std::uint64_t beat(instant now);
  /// The head answered heartbeat `number`. No effect if that is old or unknown, or the answer is
  /// late.
  void answered(std::uint64_t number, instant now);
  /// The head says that it does not count on the node.
  void revoke(instant now);

  /// Time at which the lease ends.
  [[nodiscard]] instant ends() const { return ends_; }
  /// Time at which programs are to be ended, unless the head says otherwise before.
  [[nodiscard]] instant lost_at() const { return ends_ + rules_.wait_for_head(); }
  [[nodiscard]] state at(instant now) const;

private:
  liveness_rules rules_;
  instant ends_;
  bool ended_ = false;
  std::uint64_t last_ = 0;
  /// Sending times of the newest unanswered heartbeats.
  std::map<std::uint64_t, instant> sent_;
};

} // namespace tune
