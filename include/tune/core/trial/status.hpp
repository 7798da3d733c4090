/// The trial's status and the one total function that changes it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace tune {

/// Present state of a trial.
enum class trial_status : std::uint8_t { pending, running, paused, terminated, errored };

/// Events that may change a trial's status.
enum class status_event : std::uint8_t {
  /// Resources were granted and an attempt opened.
  place,
  /// The checkpoint is registered and the process gone.
  paused,
  /// The trial may run again.
  unpause,
  /// The trial finished, or was stopped.
  end,
  /// The attempt failed within the budget, or was lost, preempted or interrupted.
  retry,
  /// The attempt failed beyond the budget.
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
/// @returns the transition for every pair; total and pure.
[[nodiscard]] transition next(trial_status from, status_event event);

/// Whether only `revive` can change the status.
[[nodiscard]] constexpr bool is_final(trial_status x) {
  return x == trial_status::terminated || x == trial_status::errored;
}

/// "PENDING", "RUNNING", "PAUSED", "TERMINATED", "ERRORED".
[[nodiscard]] std::string_view to_text(trial_status x);
[[nodiscard]] std::string_view to_text(status_event x);

} // namespace tune
