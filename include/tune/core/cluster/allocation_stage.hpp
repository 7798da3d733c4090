/// The stages of an allocation on its node, and what leads from one to the next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace tune {

/// Stage of an allocation on its node.
///
///              order           found          started         gone           heard
///   absent ------> fetching ------> preparing ------> running ------> closing ------> absent
///      |              ^                |                 |               ^
///      | order        | room           | unwanted        | unwanted      | gone
///      +--------> blocked              v      started    v               |
///                                  cancelled ---------> ending ----------+
///
/// If nothing has to be fetched, an order leads to `preparing` at once. An allocation that cannot
/// begin goes to `closing`; one that becomes unwanted before it began goes to `absent`.
enum class allocation_stage : std::uint8_t {
  /// The node holds nothing of it.
  absent,
  /// The files of its job are being fetched.
  fetching,
  /// The allocation waits until everything that the head has given up is gone.
  blocked,
  /// The checkpoint is being fetched and the trainable is being started.
  preparing,
  /// Like `preparing`, but the allocation is no longer wanted.
  cancelled,
  /// The trainable runs.
  running,
  /// The trainable was told to end.
  ending,
  /// The trainable is gone, and the head may not have heard of its end yet.
  closing,
};

/// Events in the life of an allocation.
enum class allocation_event : std::uint8_t {
  /// The head orders it; `ordered_ready`: its job is here, `ordered`: its job must be fetched.
  ordered,
  ordered_ready,
  /// The head orders it while others have to go first.
  ordered_blocked,
  /// The files of its job are here.
  found,
  /// Everything that the head had given up is gone.
  room,
  /// The trainable runs, or never will.
  started,
  not_started,
  /// Files that were fetched for its job are missing.
  files_gone,
  /// The allocation is no longer wanted.
  unwanted,
  /// The trainable is gone.
  gone,
  /// The head has heard of its end.
  heard,
};

/// The stage that `event` leads to; `from` if the event changes nothing. Total.
[[nodiscard]] allocation_stage next(allocation_stage from, allocation_event what);

[[nodiscard]] std::string_view to_text(allocation_stage x);

} // namespace tune
