/// When a silent node counts as lost: the figures on which both sides of a connection agree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"

namespace tune {

/// All else follows from one figure.
struct liveness_rules {
  /// Least and most of `lost_after`.
  static constexpr instant least = std::chrono::seconds{1};
  static constexpr instant most = std::chrono::hours{24};
  /// Heartbeats within `lost_after`: some may be lost or late. [>= 3]
  static constexpr int beats = 5;

  /// A node that was not heard of for so long is lost; one that froze is given so long to come back
  /// before what runs on it is ended.
  instant lost_after = std::chrono::seconds{10};

  /// Between two heartbeats.
  [[nodiscard]] instant interval() const { return lost_after / beats; }
  /// How long a node may go on after it sent the heartbeat that was answered last: a little less
  /// than its head waits, for clocks that run at different rates.
  [[nodiscard]] instant lease() const { return lost_after - lost_after / 20; }
};

/// @errors `ec::bad_option`, naming the range.
[[nodiscard]] expected<void> validate(const liveness_rules& x);

} // namespace tune
