/// The recorder's input: events and the rows that changed with them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"
#include "tune/core/experiment/event.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace tune {

/// An item to be made durable. Items are in the order of the log: each event, then the rows that it
/// changed.
struct store_item {
  /// Position in the log of the event itself, or of the event that changed the row.
  sequence seq = 0;
  std::variant<event, cmd::trial_changed, cmd::trial_progressed, cmd::attempt_changed,
               cmd::decision_taken, cmd::finish>
      what;

  store_item(event x) : seq{x.seq}, what{std::move(x)} {}
  template <class Change>
  store_item(sequence cause, Change x) : seq{cause}, what{std::move(x)} {}
};

/// Commands that are rows of the database: written with the event that caused them, without waiting
/// for its commit.
template <class Command>
inline constexpr bool is_row = std::disjunction_v<
    std::is_same<Command, cmd::trial_changed>, std::is_same<Command, cmd::trial_progressed>,
    std::is_same<Command, cmd::attempt_changed>, std::is_same<Command, cmd::decision_taken>>;

} // namespace tune
