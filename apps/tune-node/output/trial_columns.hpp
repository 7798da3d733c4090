/// The columns of a list of trials, by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/listed_trial.hpp"
#include "output/format.hpp"
#include "tune/core/error.hpp"
#include "tune/core/experiment/settings.hpp"

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// A column: its names, and how it is read.
struct trial_column {
  /// Name in CSV: "trial", "config.lr", "metric.loss".
  std::string name;
  /// Title in a table: "lr".
  std::string title;
  /// Reads the column; null if the trial has no value.
  std::function<value(const listed_trial&)> read;
  /// Layout in a table; see `table_column`.
  bool right_aligned = false;
  std::uint8_t give = 0;
  bool only_if_filled = false;
  /// The name by which it was asked for: it is shown under this one. Empty: nobody named it.
  std::string asked_as = {};

  /// In CSV and JSON.
  [[nodiscard]] const std::string& label() const { return asked_as.empty() ? name : asked_as; }
};

/// The name of an objective's column: its metric's, or `metric.NAME` where that is the name of
/// another column (`metric_column`).
[[nodiscard]] std::string column_of_objective(const std::vector<objective>& objectives,
                                              std::size_t i);

/// The objective that has this column; `metric.NAME` always means one.
[[nodiscard]] std::optional<std::size_t> objective_named(const std::vector<objective>& objectives,
                                                         std::string_view name);

/// Names that have columns even where no row has a value.
struct recorded_names {
  std::vector<std::string> parameters;
  /// Paths, as in `metric.a/b`.
  std::set<std::string> metrics;
};

/// Adds the paths of all metrics.
void add_paths(const object& of, std::set<std::string>& to);

/// All columns of these trials: `trial`, `status`, `iterations`, those of the objectives,
/// `config.<parameter>`, `reason`, `failures`; if the record was read also `best_iteration`,
/// `time_total_s`, `created_s`, `ended_s`, `node`, `attempts`, `checkpoint`, `origin`, `error`,
/// `runs_rank`, `runs_count`, `runs_mean`, `runs_error` (where configurations run several times),
/// `runs_value` (where these are not judged by the mean),
/// `violation` (where there are constraints), `pareto` (with several objectives), and
/// `metric.<metric>` for each metric that is no objective, of the reports that represent the trials
/// and of their last ones.
[[nodiscard]] std::vector<trial_column> all_columns(std::span<const listed_trial> rows,
                                                    const std::vector<objective>& objectives,
                                                    const recorded_names& names = {});

/// The default columns of a table; where configurations run several times, with their ranks and
/// means.
/// @param of_space Parameters of the space. The value of each is one cell, also where it is an
///                 object; other objects have a column for each member.
/// @param unused Whether those have columns that no row has.
[[nodiscard]] std::vector<trial_column> usual_columns(std::span<const listed_trial> rows,
                                                      const std::vector<objective>& objectives,
                                                      const std::vector<std::string>& of_space = {},
                                                      bool unused = false);

/// The named columns, by name or title; none named: all in CSV, else the usual ones. Titles that
/// would come twice in a table are whole names.
/// @errors `ec::unknown_name` with the nearest known one.
[[nodiscard]] expected<std::vector<trial_column>>
columns_of(std::span<const listed_trial> rows, const std::vector<objective>& objectives,
           const std::vector<std::string>& named, output_format format,
           const recorded_names& names);

} // namespace tune::cli
