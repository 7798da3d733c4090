/// Failures of trials, grouped.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "output/format.hpp"
#include "tune/io/store/store_reader.hpp"

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace tune::cli {

/// A failure in one line: the first line of its text, and the one that names the error, as
/// `telling_line_in` finds it. Without addresses, and without the names of trials' directories.
[[nodiscard]] std::string common_text(std::string_view detail);

/// Why an experiment ended, in one line: if the cause quotes several lines of a program, the one
/// that names the error.
[[nodiscard]] std::string cause_text(std::string_view why);

/// The part of this line that is the same for trials that failed alike: only the first sentence of
/// a line that names an error, and without numbers, except line numbers of source files, statuses
/// and signals.
[[nodiscard]] std::string failure_key(std::string_view detail);

/// The trials that failed for good, grouped by class and `failure_key` of their last failed
/// attempts, each group with the text of its first trial; the largest group first. @errors of the
/// reader.
[[nodiscard]] expected<std::vector<failure_group>> failures_in(store_reader& from);

/// Fills the fields of a snapshot that describe a whole experiment at its end: its time as it is
/// recorded, failures, what clients paused, a scheduler that judged nobody, and if there are
/// several objectives the Pareto front of the trials that keep all constraints. What cannot be read
/// is left out.
void look_back(run_snapshot& on, store_reader& from);
void look_back(run_snapshot& on, const std::filesystem::path& directory);

/// `tune-node trials --failed`: columns `count`, `class`, `text`, `trials`.
void write_failures(const std::vector<failure_group>& groups, output_format format,
                    const table_look& look, std::ostream& out);

/// A group as an object of JSON.
[[nodiscard]] object to_object(const failure_group& x);

} // namespace tune::cli
