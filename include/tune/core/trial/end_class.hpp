/// The ways in which an attempt can end, each counted and budgeted separately.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tune {

/// How an attempt ended. Values are stored: the list may only be extended at its end.
enum class end_class : std::uint8_t {
  /// The trainable came to its own end.
  finished,
  /// The trainable was asked to stop and did.
  stopped,
  /// The trainable was paused: checkpoint registered, process gone.
  paused,
  /// The user's code threw, exited non-zero, or never delivered the objective.
  user_error,
  /// No report within the progress timeout.
  timeout,
  /// The memory limit ended the trainable.
  out_of_memory,
  /// A signal from outside ended the trainable.
  killed,
  /// The node was lost.
  node_lost,
  /// The node was asked to give the attempt up.
  preempted,
  /// The experiment stopped in order; the trial goes on at resume.
  interrupted,
  /// No registered checkpoint could be restored.
  bad_checkpoint,
};

inline constexpr std::size_t end_class_count = 11;

/// The enumerator's name, e.g. "user_error".
[[nodiscard]] std::string_view to_text(end_class x);
[[nodiscard]] std::optional<end_class> end_class_from(std::string_view name);

/// True for the classes that count against a failure budget.
[[nodiscard]] bool is_failure(end_class x);

} // namespace tune
