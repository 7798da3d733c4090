/// The tables and views of `experiment.db`; docs/database.md describes them for users.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sqlite.hpp"

#include "tune/core/ids.hpp"

#include <cstdint>
#include <string_view>

namespace tune::store {

/// `PRAGMA application_id`: "TUNE".
inline constexpr std::int64_t application_id = 0x54554E45;
/// `PRAGMA user_version`: version of the schema and of the public views. Increases with each
/// change.
inline constexpr std::int64_t schema_version = 1;

/// Flags in `t_results.done`.
inline constexpr std::int64_t done_bit = 1;
inline constexpr std::int64_t checkpoint_bit = 2;

/// SQL for the configurations of the best and of the last report of `t`, a row of `t_trials`. Each
/// reads the trial's results if it ever had another configuration than now.
inline constexpr std::string_view best_config
    = "iif(EXISTS (SELECT 1 FROM t_attempts o WHERE o.trial = t.trial AND o.config IS NOT "
      "t.config),"
      " (SELECT a.config FROM t_results r JOIN t_attempts a ON a.attempt = r.attempt"
      " WHERE r.trial = t.trial AND r.iteration = t.best_iteration AND r.metrics = t.best_metrics"
      " ORDER BY r.seq LIMIT 1), iif(t.best_metrics IS NULL, NULL, t.config))";
inline constexpr std::string_view last_config
    = "iif(EXISTS (SELECT 1 FROM t_attempts o WHERE o.trial = t.trial AND o.config IS NOT "
      "t.config),"
      " (SELECT a.config FROM t_results r JOIN t_attempts a ON a.attempt = r.attempt"
      " WHERE r.trial = t.trial AND r.iteration = t.iterations AND r.metrics = t.metrics"
      " ORDER BY r.seq DESC LIMIT 1), iif(t.metrics IS NULL, NULL, t.config))";

/// Attempts are stored as one number: the epoch above 40 bits of counter.
inline constexpr int counter_bits = 40;
inline constexpr std::uint64_t counter_mask = (std::uint64_t{1} << counter_bits) - 1;

[[nodiscard]] constexpr bool is_packable(attempt_id x) {
  return x.counter <= counter_mask && x.epoch < (std::uint32_t{1} << (63 - counter_bits));
}
[[nodiscard]] constexpr std::int64_t packed(attempt_id x) {
  return static_cast<std::int64_t>(std::uint64_t{x.epoch} << counter_bits | x.counter);
}
[[nodiscard]] constexpr attempt_id unpacked(std::int64_t x) {
  const auto bits = static_cast<std::uint64_t>(x);
  return {static_cast<std::uint32_t>(bits >> counter_bits), bits & counter_mask};
}

/// Creates all tables and views in one transaction, and sets the version last.
[[nodiscard]] expected<void> create_schema(connection& in, std::int64_t created_ms);

/// Whether attempts have a column for their costs: those of earlier versions have none.
[[nodiscard]] expected<bool> has_costs(connection& in);
/// Adds it where it is missing.
[[nodiscard]] expected<void> add_costs(connection& in);
/// The same for the labels and taints of nodes.
[[nodiscard]] expected<bool> has_node_labels(connection& in);
[[nodiscard]] expected<void> add_node_labels(connection& in);

/// @returns the version; 0 for a database without content.
/// @errors `ec::refused` for a foreign database, a newer version, or views in the place of tables;
///   `ec::storage` for a version that never existed.
[[nodiscard]] expected<std::int64_t> check_version(connection& in);

} // namespace tune::store
