/// The experiments of a storage: `tune-node list experiments`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "output/format.hpp"
#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace tune::cli {

/// A Unix time in milliseconds for people: UTC, as "2026-01-31T12:00:00Z".
[[nodiscard]] std::string utc_text(std::int64_t unix_ms);

/// One experiment at one moment, from its record.
struct experiment_facts {
  run_snapshot seen;
  spec what;
  /// "running"; "lost" if its head is gone; "at_rest" if no executor asks for its trials now
  /// (`ask-tell`); or how it ended.
  std::string status;
  /// Unix time. [milliseconds]
  std::int64_t created_ms = 0;
  /// The same time for people: UTC, as "2026-01-31T12:00:00Z".
  std::string created;
  std::uint64_t reports = 0;
  /// As in `control_status`, as far as its head has told.
  object allocation = {};
  std::string waits_for = {};
};

/// Reads an experiment, running or not. @errors as `directory_of`; `ec::storage`.
[[nodiscard]] expected<experiment_facts> facts_of(const std::filesystem::path& directory);

/// Facts as JSON: `experiment`, `directory`, `status`, `created`, `trials`, `terminated`,
/// `errored`, `withdrawn`, `reports`, `elapsed_s`, `metric`, `mode`, `best` (of the best trial
/// itself; null: none), `best_trial`, `best_status`, `runs` (statistics of all runs of its
/// configuration; null if each runs once), `user`, `priority`, `share`, `place` (in its head's
/// queue; 0: it is served) and `waits_for`, which are null where it does not run at a standing
/// head.
[[nodiscard]] object to_object(const experiment_facts& x);

/// Lists all experiments directly below `storage`, or `storage` itself if it is one, the oldest
/// first. Those that cannot be read are named on `talk`.
/// @errors `ec::unreadable` if there is no such directory.
[[nodiscard]] expected<void> list_experiments(const std::filesystem::path& storage,
                                              output_format format, const table_look& look,
                                              std::ostream& out, std::ostream& talk);

} // namespace tune::cli
