/// What trials failed with, grouped.
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

/// A failure in a line: the first line of what is known of it, and the one that names the error, as
/// far as that can be told: the last that begins with the name of one, such as `ValueError:`, else
/// mostly the last of all, but the first where the end is a stack trace, as Java and Tcl write it.
/// Without addresses, and without the names of trials' directories.
[[nodiscard]] std::string common_text(std::string_view detail);

/// Why an experiment ended, in a line: of a cause that quotes more than a line of a program, the
/// one that names the error.
[[nodiscard]] std::string cause_text(std::string_view why);

/// What of that is the same for trials that failed alike: of a line that names an error the first
/// sentence; numbers do not count, but for those of lines in a source file, statuses and signals.
[[nodiscard]] std::string failure_key(std::string_view detail);

/// The trials that failed for good, grouped by class and `failure_key` of their last failed
/// attempts, each with the text of its first trial; the largest group first. @errors of the reader.
[[nodiscard]] expected<std::vector<failure_group>> failures_in(store_reader& from);

/// Fills what a snapshot says of a whole experiment at its end: failures, and the Pareto front
/// where there are several objectives, of the trials that keep all constraints. What cannot be read
/// is left out.
void look_back(run_snapshot& on, store_reader& from);
void look_back(run_snapshot& on, const std::filesystem::path& directory);

/// `tune-node trials --failed`: columns `count`, `class`, `text`, `trials`.
void write_failures(const std::vector<failure_group>& groups, output_format format,
                    const table_look& look, std::ostream& out);

/// As it stands in JSON.
[[nodiscard]] object to_object(const failure_group& x);

} // namespace tune::cli
