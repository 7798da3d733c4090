/// The head's end of liveness: which nodes were silent for too long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/liveness/liveness_rules.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tune {

/// Who was heard of when. A value: time comes in as argument.
///
/// It looks at the clock when it was told to by `next_look`, or later: by as much as it is late it
/// may have been kept from hearing, so that much is added to everybody's time. A head that was held
/// up, suspended or starved blames nobody for it.
class failure_detector {
public:
  explicit failure_detector(liveness_rules rules) : rules_{rules} {}

  /// A node came in under this number.
  void begin(std::uint64_t session, instant now);
  /// Nobody waits for it any more.
  void end(std::uint64_t session);
  /// Its heartbeat came. @returns whether it is waited for.
  bool heard(std::uint64_t session, instant now);

  /// Looks who was silent for too long.
  /// @returns their numbers, each once.
  [[nodiscard]] std::vector<std::uint64_t> look(instant now);
  /// Whether the head was held up of late, by more than its timers are ever late: a node that heard
  /// nothing of it meanwhile is not to blame, and is given `lost_after` to come back.
  [[nodiscard]] bool was_held_up(instant now) const;
  /// When to look next; nothing: there is nobody.
  [[nodiscard]] std::optional<instant> next_look(instant now);

  /// The longest time between two heartbeats, up to now; zero of whom nobody waits for. How close
  /// it came to being lost, whoever's fault that was.
  [[nodiscard]] instant longest_silence(std::uint64_t session, instant now) const;

  [[nodiscard]] std::size_t size() const { return watches_.size(); }

private:
  liveness_rules rules_;
  struct watch {
    /// When its time is up.
    instant ends;
    instant heard;
    instant longest{0};
  };

  std::map<std::uint64_t, watch> watches_;
  /// When their time is up, by time.
  std::set<std::pair<instant, std::uint64_t>> by_time_;
  /// When it wanted to look.
  std::optional<instant> planned_;
  /// Until then nodes may still be on their way back from when it was held up.
  std::optional<instant> excused_until_;

  void set(std::uint64_t session, const watch& how);
  [[nodiscard]] bool is_late(instant now) const;
  void excuse(instant delay);
};

} // namespace tune
