/// Writes the list of trials in any output format.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/listed_trial.hpp"
#include "output/format.hpp"
#include "output/trial_columns.hpp"
#include "tune/core/experiment/settings.hpp"

#include <iosfwd>
#include <span>
#include <vector>

namespace tune::cli {

/// The form in which trials are written.
struct trials_form {
  output_format format = output_format::table;
  table_look look;
  /// Whether JSON has only the columns, flat, instead of the usual object.
  bool only_columns = false;
};

/// Writes `rows` in their order.
///
/// In CSV columns go by their names; in JSON parameters are one nested object `config`, objectives
/// one object `objectives`, metrics one object `metrics`. A missing value is empty in CSV and null
/// in JSON. Metrics that are not finite are the texts "nan", "inf", "-inf".
///
/// CSV and JSON contain values in full; the table shortens them, is fitted to the width, lists
/// below it the columns that had to be left out, and has `reason` and `failures` only where a trial
/// has one.
void write_trials(std::span<const listed_trial> rows, const std::vector<objective>& objectives,
                  const std::vector<trial_column>& columns, const trials_form& how,
                  std::ostream& out);

/// A row as an object of `json` and `jsonl`.
[[nodiscard]] object to_object(const listed_trial& x, const std::vector<objective>& objectives);

} // namespace tune::cli
