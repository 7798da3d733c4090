/// Finds out from a record which trials are new, and which are over, at each point of the log.
/// Private to the sinks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"
#include "tune/io/store/store_reader.hpp"

#include <deque>
#include <set>
#include <vector>

namespace tune {

/// Walks along the log beside its events. The rows of trials have the time at which they were made
/// and at which they ended: that of the event that did it.
class trial_watch {
public:
  /// Begins behind an event of the log: trials made until then are known, and so are their ends.
  /// @param at That event's time; before everything: negative.
  [[nodiscard]] expected<void> begin(store_reader& from, instant at);

  /// Reads what changed with the next events, of which the last one happened at `until`.
  [[nodiscard]] expected<void> look(store_reader& from, sequence after, sequence last,
                                    instant until);

  /// The next new trial that was made at or before `at`; nothing if there is none. In order.
  [[nodiscard]] std::optional<trial_facts> next_created(instant at);
  /// The next trial that was over at or before `at`.
  [[nodiscard]] std::optional<trial_facts> next_concluded(instant at);
  /// An attempt begins: the trial is not over, whatever was told before.
  void reopen(trial_id which) { open_.insert(which); }

private:
  trial_id next_{0};
  /// Trials that are not over, as far as was told.
  std::set<trial_id> open_;
  std::deque<trial_facts> created_;
  std::deque<trial_facts> concluded_;

  [[nodiscard]] expected<void> look_for_new(store_reader& from, instant until);
  [[nodiscard]] expected<void> look_for_ended(store_reader& from, const touched_trials& touched,
                                              instant until);
};

/// The row as a sink is told of it.
[[nodiscard]] trial_facts facts_of(const trial_row& row);

} // namespace tune
