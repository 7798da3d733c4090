/// Messages of a head to its clients about an experiment, as values and as JSON.
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

/// An event that a screen may show.
struct feed_event {
  /// A failed attempt.
  struct failure {
    cmd::attempt_changed what;
    bool again = false;
  };
  /// Something is probably not as the user meant it.
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
  /// A trial that ended; of its report only the objectives are sent.
  std::variant<cmd::trial_changed, failure, warning, line> what;
};

/// The state of a running experiment.
struct status_update {
  /// Nothing: it did not answer in time.
  std::optional<run_snapshot> now;
  /// In order, perhaps with a gap before the first.
  std::vector<feed_event> events;
};

/// The result of an experiment that has ended.
struct final_status {
  /// Only the counts of its view are filled.
  run_summary how;
  run_snapshot last;
  std::vector<feed_event> events;
  /// Whether it was left off because the head went.
  bool head_goes = false;
};

/// @param objectives Those of the experiment.
[[nodiscard]] std::string to_json(const status_update& x, const std::vector<objective>& objectives);
[[nodiscard]] std::string to_json(const final_status& x, const std::vector<objective>& objectives);

/// @errors `ec::bad_syntax`, `ec::bad_option`, naming the field.
[[nodiscard]] expected<status_update> status_update_from_json(std::string_view text);
[[nodiscard]] expected<final_status> final_status_from_json(std::string_view text);

} // namespace tune::cli
