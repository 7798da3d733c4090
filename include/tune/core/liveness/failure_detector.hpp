/// The head's end of liveness: detects nodes that were silent for too long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/liveness/liveness_rules.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tune {

/// Records when each node was last heard of. A value: time comes in as argument.
///
/// Looks at the clock at the time that `next_look` names, or later. A late look means that the head
/// may have been kept from hearing for that long, so the delay is added to every node's time. Thus
/// a head that was held up, suspended or starved blames no node for it.
class failure_detector {
public:
  explicit failure_detector(liveness_rules rules) : rules_{rules} {}

  /// A node came in under this number.
  void begin(std::uint64_t session, instant now);
  /// The node is no longer waited for.
  void end(std::uint64_t session);
  /// A heartbeat of the node came. @returns whether the node is waited for.
  bool heard(std::uint64_t session, instant now);

  /// Finds the nodes that were silent for too long, and waits for them no more.
  /// @returns their numbers, each once.
  [[nodiscard]] std::vector<std::uint64_t> look(instant now);
  /// Whether the head was recently held up, by more than its timers are ever late: a node that
  /// heard nothing from it meanwhile is not to blame, and is given `lost_after` to come back.
  [[nodiscard]] bool was_held_up(instant now) const;
  /// The time of the next look; empty if no node is waited for.
  [[nodiscard]] std::optional<instant> next_look(instant now);

  /// The longest time between two heartbeats, up to now; zero for a node that is not waited for.
  /// Shows how close the node came to being lost, whoever's fault that was.
  [[nodiscard]] instant longest_silence(std::uint64_t session, instant now) const;

  [[nodiscard]] std::size_t size() const { return watches_.size(); }

private:
  liveness_rules rules_;
  struct watch {
    /// The time at which the node counts as lost.
    instant ends;
    instant heard;
    instant longest{0};
    /// Its entry in `by_time_`: that time, or an earlier one.
    instant listed{0};
  };

  std::unordered_map<std::uint64_t, watch> watches_;
  /// The times before which no node counts as lost, in order. A heartbeat leaves its node's entry
  /// as it is, so that it costs the same however many nodes there are.
  std::set<std::pair<instant, std::uint64_t>> by_time_;
  /// The planned time of the next look.
  std::optional<instant> planned_;
  /// Until this time nodes may still be on their way back from a time when the head was held up.
  std::optional<instant> excused_until_;

  void renew_until(instant latest);
  [[nodiscard]] bool is_late(instant now) const;
  void excuse(instant delay);
};

} // namespace tune
