/// When what happened goes to the disk. A pure value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"
#include "tune/core/experiment/event.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <variant>

namespace tune {

/// Gathers reports for the disk: nobody waits for theirs, and a transaction for each would cost
/// more than all the rest. As soon as something else has happened, everything goes.
class record_pace {
public:
  /// Items that are gathered at most: few of those after which answers to reports wait.
  static constexpr std::size_t most = 512;

  /// @param longest Time for which a report waits for others; 0: for none.
  explicit record_pace(instant longest = instant{0}) : longest_{longest} {}

  void add(const event& what) {
    ++count_;
    is_urgent_ = is_urgent_ || !can_wait(what.what);
  }
  /// Adds a row that changed with the last event.
  template <class Row>
  void add(const Row&) {
    ++count_;
    is_urgent_ = is_urgent_ || !std::is_same_v<Row, cmd::trial_progressed>;
  }
  /// Time at which what was added is to go; nothing: nothing was added.
  /// @param now By any one clock; the times of events count for nothing here, since those of a run
  ///   that goes on begin where the last one ended. What was added waits from the first call on.
  [[nodiscard]] std::optional<instant> due(instant now) {
    if (count_ == 0)
      return std::nullopt;
    if (!since_)
      since_ = now;
    const auto waits = !is_urgent_ && count_ < most;
    return waits ? *since_ + longest_ : std::min(*since_, now);
  }
  void went() { *this = record_pace{longest_}; }

private:
  instant longest_;
  /// Time at which the first of it was seen.
  std::optional<instant> since_;
  std::size_t count_ = 0;
  bool is_urgent_ = false;

  /// Whether nothing follows from the event but that its trial goes on.
  static bool can_wait(const event_body& what) {
    if (const auto* news = std::get_if<on::reported>(&what))
      return !news->what->done;
    const auto* answers = std::get_if<on::decided>(&what);
    return answers != nullptr
           && std::all_of(answers->answers.begin(), answers->answers.end(), [](const auto& x) {
                return std::all_of(x.actions.begin(), x.actions.end(), [](const auto& y) {
                  return std::holds_alternative<go_on>(y.what);
                });
              });
  }
};

} // namespace tune
