/// The trial's status and the one total function that changes it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace tune {

/// Where a trial stands in its life.
enum class trial_status : std::uint8_t { pending, running, paused, terminated, errored };

/// What may happen to a trial's status.
enum class status_event : std::uint8_t {
  /// Resources were granted and an attempt opened.
  place,
  /// Its checkpoint is registered and its process gone.
  paused,
  /// It may run again.
  unpause,
  /// It finished, or was stopped.
  end,
  /// Its attempt failed within the budget, or was lost, preempted or interrupted.
  retry,
  /// Its attempt failed beyond the budget.
  fail,
  /// The user asks for another run of a finished trial (`resume` options, `retry`).
  revive,
};

inline constexpr std::size_t trial_status_count = 5;
inline constexpr std::size_t status_event_count = 7;

/// The event changes the status.
struct moves_to {
  trial_status status;
  friend bool operator==(const moves_to&, const moves_to&) = default;
};
/// The event comes late or twice, which is normal; nothing changes.
struct is_ignored {
  std::string_view reason;
  friend bool operator==(const is_ignored&, const is_ignored&) = default;
};
/// The event must not happen here: the program is at fault.
struct is_bug {
  friend bool operator==(const is_bug&, const is_bug&) = default;
};

using transition = std::variant<moves_to, is_ignored, is_bug>;

///                     retry
///            +----------------------+
///            v                      |
///   pending ------- place -----> running --- end ---> terminated
///     ^  ^ \                      |  |                    |
///     |  |  +--- end, fail ---+   |  +--- fail -> errored |
///     |  |                    |   | paused           |    |
///     |  +-- unpause, retry --|- paused -- end, fail |    |
///     +------------------ revive --------------------+----+
///
/// @returns for every pair what happens; total and pure.
[[nodiscard]] transition next(trial_status from, status_event event);

/// Tells whether nothing but `revive` can change it.
[[nodiscard]] constexpr bool is_final(trial_status x) {
  return x == trial_status::terminated || x == trial_status::errored;
}

/// "PENDING", "RUNNING", "PAUSED", "TERMINATED", "ERRORED".
[[nodiscard]] std::string_view to_text(trial_status x);
[[nodiscard]] std::string_view to_text(status_event x);

} // namespace tune
