/// Writes an experiment as a study of Optuna, into a SQLite file that Optuna opens as its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tune {

/// What was written.
struct optuna_summary {
  std::uint64_t trials = 0;
  std::uint64_t intermediate_values = 0;
  /// Parameters that Optuna has no distribution for; they are attributes of trials instead.
  std::vector<std::string> left_out;
  /// The parameter that tells the runs of a configuration apart, which is one, too; empty: none.
  std::string run_parameter = {};
};

/// Writes a new file that holds one study with the experiment's name. docs/sinks.md says what
/// becomes of what.
/// @param directory The experiment's; it may be running.
/// @errors those of `store_reader`; `ec::refused` if the file is there already; `ec::storage` if it
///         cannot be written: there is none then.
[[nodiscard]] expected<optuna_summary> export_to_optuna(const std::filesystem::path& directory,
                                                        const std::filesystem::path& file);

} // namespace tune
