/// Writes the list of trials in any output format.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/listed_trial.hpp"
#include "output/format.hpp"
#include "tune/core/experiment/settings.hpp"

#include <iosfwd>
#include <span>
#include <vector>

namespace tune::cli {

/// Writes `rows` in their order.
///
/// Columns: `trial`, `status`, `iterations`, one per objective by its metric's name, one per
/// parameter (nested names joined by '.'), `reason`, `failures`. In CSV parameters are named
/// `config.<parameter>`; in JSON they are one nested object `config`, objectives one object
/// `objectives`. A parameter that is inactive in a trial is empty there. Metrics that are not
/// finite are the texts "nan", "inf", "-inf".
///
/// CSV and JSON carry values in full; the table shortens them, is fitted to the width, says below
/// which columns had to be left out, and has `reason` and `failures` only where a trial has one.
void write_trials(std::span<const listed_trial> rows, const std::vector<objective>& objectives,
                  output_format format, const table_look& look, std::ostream& out);

/// A row as it stands in `json` and `jsonl`.
[[nodiscard]] object to_object(const listed_trial& x, const std::vector<objective>& objectives);

} // namespace tune::cli
