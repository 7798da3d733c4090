/// Converts table rows to values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sqlite.hpp"

#include "tune/core/experiment/event.hpp"
#include "tune/io/store/rows.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tune::store {

/// Whether a table has the column `sum`: databases of older versions have it in fewer tables.
[[nodiscard]] expected<bool> has_sum(connection& in, const std::string& table);

// Columns in the order that the functions below expect.
inline constexpr std::string_view trial_columns
    = "trial, status, config, origin, failures, lineage, reason, error, iterations, time_total,"
      " metrics, best_iteration, best_metrics, created, ended";
/// Number of the columns of a trial, with its checksum and its two configurations.
inline constexpr int trial_width = 18;
/// For attempts, `costs` follows, or NULL where there is no such column.
inline constexpr std::string_view attempt_columns
    = "attempt, trial, lineage, node, start_checkpoint, donor, config, pid, started, ended,"
      " end_class, detail, exit_status";
inline constexpr std::string_view result_columns
    = "seq, t, trial, attempt, number, iteration, time_iter, time_total, timestamp_ms, pid, done,"
      " metrics, exceptions, sum";
inline constexpr std::string_view checkpoint_columns
    = "seq, checkpoint, t, trial, attempt, iteration, time_total, location, bytes, state, detail";
inline constexpr std::string_view event_columns = "seq, t, kind, body, sum";

/// Each function reads the current row. A trial's row has three more columns after those above: its
/// `sum`, or NULL if there is none, and the configurations of its best and of its last report, each
/// NULL if it is the same.
/// @errors `ec::storage` naming table and row.
[[nodiscard]] expected<trial_row> read_trial(const statement& row);
[[nodiscard]] expected<attempt_row> read_attempt(const statement& row);
[[nodiscard]] expected<decision_row> read_decision(const statement& row);
[[nodiscard]] expected<checkpoint_row> read_checkpoint(const statement& row);
[[nodiscard]] expected<export_row> read_export(const statement& row);
[[nodiscard]] expected<node_row> read_node(const statement& row);
/// The next two functions verify the checksum first.
[[nodiscard]] expected<event> read_event(const statement& row);
[[nodiscard]] expected<event> read_reported(const statement& row);

/// The status of that name in the database; empty if there is none.
[[nodiscard]] std::optional<trial_status> status_of(std::string_view name);

/// `ec::storage`: "<table> row <key>: <what>".
[[nodiscard]] error damaged(std::string_view table, std::string_view key, std::string_view what);

} // namespace tune::store
