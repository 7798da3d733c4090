/// What a head tells its clients of an experiment, as values and as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "tune/actors/runner.hpp"
#include "tune/core/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tune::cli {

/// Something happened that a screen may show.
struct told_event {
  /// A failed attempt.
  struct failure {
    cmd::attempt_changed what;
    bool again = false;
  };
  /// Something is probably not as it was meant.
  struct warning {
    std::string text;
  };
  /// A line for people.
  struct line {
    std::string text;
  };

  /// Counts from 1.
  std::uint64_t number = 0;
  instant at{0};
  /// A trial that ended; of its report only the objectives travel.
  std::variant<cmd::trial_changed, failure, warning, line> what;
};

/// An experiment that runs.
struct told_state {
  /// Nothing: it does not answer just now.
  std::optional<run_snapshot> now;
  /// In order, perhaps with a gap before the first.
  std::vector<told_event> events;
};

/// How an experiment ended.
struct told_end {
  /// Of its view only the counts.
  run_summary how;
  run_snapshot last;
  std::vector<told_event> events;
  /// It was left off since the head went.
  bool head_goes = false;
};

/// @param objectives Of the experiment.
[[nodiscard]] std::string to_json(const told_state& x, const std::vector<objective>& objectives);
[[nodiscard]] std::string to_json(const told_end& x, const std::vector<objective>& objectives);

/// @errors `ec::bad_syntax`, `ec::bad_option`, naming the field.
[[nodiscard]] expected<told_state> told_state_from_json(std::string_view text);
[[nodiscard]] expected<told_end> told_end_from_json(std::string_view text);

} // namespace tune::cli
