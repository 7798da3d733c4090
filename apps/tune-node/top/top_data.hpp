/// What the full-screen view of an experiment asks for, and what it is given. Plain data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// What is shown below the list of trials.
enum class top_panel : std::uint8_t { curve, history, log, trial };
inline constexpr std::size_t top_panel_count = 4;

/// What the list of trials is ordered by.
enum class top_order : std::uint8_t { number, value, iterations, time, status };
inline constexpr std::size_t top_order_count = 5;

/// What is wanted.
struct top_wish {
  top_order order = top_order::number;
  /// From the largest on, of values from the best on.
  bool reversed = false;
  /// As `filter` of the HTTP API; empty: all trials.
  std::string filter = {};
  top_panel panel = top_panel::curve;
  /// What the panel is about; nothing: the experiment, or its best trial.
  std::optional<trial_id> trial = {};
  /// Room for the panel.
  std::size_t columns = 80;
  std::size_t lines = 8;
  friend bool operator==(const top_wish&, const top_wish&) = default;
};

/// A row of the list. All texts may be from outside.
struct top_row {
  trial_id trial;
  std::string status = {};
  std::uint64_t iterations = 0;
  std::string value = {};
  std::string time = {};
  std::string config = {};
  /// Why it ended, or what happened last.
  std::string reason = {};
};

/// An experiment at one moment.
struct top_data {
  std::string name;
  /// "running", "done", …
  std::string status = {};
  /// Whether it can be steered.
  bool live = false;
  /// "12m03s".
  std::string elapsed = {};
  /// "45 of 100 trials: 4 running, 2 paused".
  std::string counts = {};
  /// "best accuracy 0.98 of trial 00042, lr=0.01".
  std::string best = {};
  std::string metric = {};
  std::optional<trial_id> best_trial = {};
  /// At most `most_top_rows`.
  std::vector<top_row> rows = {};
  /// Trials that fit the filter.
  std::uint64_t total = 0;
  /// As it is drawn, in colours.
  std::vector<std::string> panel = {};
  std::string panel_title = {};
  /// What went wrong with the filter, or the panel; empty: nothing.
  std::string fault = {};
};

/// Trials beyond these are found by ordering and filtering.
inline constexpr std::size_t most_top_rows = 1000;

} // namespace tune::cli
