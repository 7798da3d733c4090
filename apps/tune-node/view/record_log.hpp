/// The log of an experiment, of which clients may ask for a part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"
#include "tune/io/store/store_reader.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// Which events are wanted.
struct log_query {
  sequence after = 0;
  /// Only those that name this trial.
  std::optional<trial_id> trial = {};
  /// One of `event_kinds()`; empty: all.
  std::string kind = {};
  /// [>= 1]
  std::size_t limit = 100;
};

/// A stretch of the log.
struct log_stretch {
  /// In the order of the log.
  value::list events = {};
  /// Up to this place there are no others.
  sequence last = 0;
  /// True if others may follow now.
  bool more = false;
};

/// The kinds of events, as `name_of` has them.
[[nodiscard]] const std::vector<std::string>& event_kinds();

/// Events with their reports, as the view `events` of the database has them.
/// @errors of the reader.
[[nodiscard]] expected<log_stretch> log_of(store_reader& from, const log_query& what);

} // namespace tune::cli
