/// Timing of liveness: the figures on which both ends of a connection agree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"

#include <algorithm>

namespace tune {

/// Default of `liveness_rules::lost_after`, for all who take one.
inline constexpr instant default_lost_after = std::chrono::seconds{10};

/// Timing rules of liveness.
struct liveness_rules {
  /// Bounds of `lost_after`, and of a `head_grace` other than 0.
  static constexpr instant least = std::chrono::seconds{1};
  static constexpr instant most = std::chrono::hours{24};
  /// Heartbeats within `lost_after`: some may be lost or late. [>= 3]
  static constexpr int beats = 5;

  /// A node that was not heard of for this long is lost; a frozen one has this long to come back
  /// before the programs on it are ended.
  instant lost_after = default_lost_after;
  /// Time for which a node keeps what it runs for a head that died and may begin again; 0: as for
  /// one that is out of reach.
  instant head_grace{0};

  /// Time between two heartbeats.
  [[nodiscard]] instant interval() const { return lost_after / beats; }
  /// Time for which a node may go on after sending the last heartbeat that was answered: a little
  /// less than its head waits, to allow for clocks that run at different rates.
  [[nodiscard]] instant lease() const { return lost_after - lost_after / 20; }
  /// Time for which a node waits for its head after that, before it ends what runs.
  [[nodiscard]] instant wait_for_head() const { return std::max(lost_after, head_grace); }
  /// Time for which a head that begins again waits for the nodes of the one before.
  [[nodiscard]] instant wait_for_nodes() const { return 3 * lost_after; }
};

/// @errors `ec::bad_option`, naming the range.
[[nodiscard]] expected<void> validate(const liveness_rules& x);

} // namespace tune
