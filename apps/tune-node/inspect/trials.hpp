/// `tune-node trials`: reads an experiment's directory and shows its trials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "console/listed_trial.hpp"
#include "output/format.hpp"
#include "tune/core/error.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/io/store/rows.hpp"
#include "tune/tuner/choices.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace tune::cli {

/// Carries out `tune-node trials`. Reads only; the experiment may be running.
///
/// @param out Receives the result, nothing on failure.
/// @param all Everything the experiment may name, to explain suggestions. Null: they are not
///         explained.
/// @errors One line each. `ec::unreadable`: no such directory, or no experiment in it (naming those
///         below it, if any); `ec::unknown_name`: no such trial, or an unknown `--sort` key;
///         `ec::storage`: the directory may not be entered, the database is damaged, not ours or of
///         a newer version.
[[nodiscard]] expected<void> show_trials(const trials_request& what, output_format format,
                                         const table_look& look, std::ostream& out,
                                         const choices* all = nullptr);

/// A row of the database for display; objectives are those of its best report.
[[nodiscard]] listed_trial listed(const trial_row& x, const std::vector<objective>& objectives,
                                  const constraint_list& constraints);

/// Sorts `rows`, those without a value last. Equal ones stay in their order.
///
/// @param key A column (see `all_columns`), "objective" (the first one, best first), the metric of
///         an objective (its best first), any other metric, or a parameter by dotted name. With
///         ":asc" after it the least comes first, with ":desc" the greatest. "Best" counts
///         constraints first, the other orders do not.
/// @param parameters Names that are known although no trial may have a value.
/// @errors `ec::unknown_name` with the nearest known key.
[[nodiscard]] expected<void> sort_trials(std::vector<listed_trial>& rows,
                                         const std::vector<objective>& objectives,
                                         const std::string& key, bool reverse,
                                         const std::vector<std::string>& parameters = {});

} // namespace tune::cli
