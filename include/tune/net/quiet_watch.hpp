/// How long a connection may send nothing. A pure value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/liveness/heartbeat_pace.hpp"
#include "tune/net/caf_io.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace tune {

/// Longest time for which a connection may send nothing to a peer that gives up nodes after
/// `lost_after`: it hears at least twice within its `connection_timeout`. Where `lost_after` is 10
/// s or more, members that show each other that they live, three times within it, need nothing
/// beside; what they send may be late by a fifth of it.
[[nodiscard]] constexpr instant longest_quiet(instant lost_after) {
  if (lost_after >= default_lost_after)
    return calm_interval(lost_after) + lost_after / 15;
  return std::max<instant>(connection_timeout(lost_after) * 5 / 12, heartbeat_interval);
}

/// A `lost_after` that a peer told in its greeting; 0: it told none.
[[nodiscard]] constexpr instant patience_from(std::int64_t milliseconds) {
  constexpr auto most = std::chrono::duration_cast<std::chrono::milliseconds>(liveness_rules::most);
  return std::chrono::milliseconds{std::clamp<std::int64_t>(milliseconds, 0, most.count())};
}

/// Decides which of CAF's heartbeats, one in each `heartbeat_interval`, a connection leaves out. To
/// a peer whose patience is not known it sends all of them.
class quiet_watch {
public:
  using time_point = std::chrono::steady_clock::time_point;

  [[nodiscard]] bool knows_peer() const { return lost_after_.has_value(); }
  /// @param lost_after Of the peer; nothing: it is not known yet.
  void bears(std::optional<instant> lost_after) { lost_after_ = lost_after; }
  /// Something was sent.
  void spoke(time_point now) { spoke_ = now; }
  /// Whether nothing need be sent before the next heartbeat is due.
  [[nodiscard]] bool may_wait(time_point now) const {
    return lost_after_ && spoke_
           && now - *spoke_ < longest_quiet(*lost_after_) - instant{heartbeat_interval};
  }

private:
  std::optional<instant> lost_after_;
  std::optional<time_point> spoke_;
};

} // namespace tune
