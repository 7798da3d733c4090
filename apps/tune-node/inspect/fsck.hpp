/// `tune-node fsck`: has an experiment's log and rows checked against its guarantees (core/check,
/// io/check) and tells the findings.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "output/format.hpp"
#include "tune/core/check/finding.hpp"
#include "tune/core/error.hpp"
#include "tune/io/check/crash_traces.hpp"
#include "tune/io/check/unread_files.hpp"
#include "tune/tuner/choices.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace tune::cli {

/// The result of a check.
struct fsck_result {
  std::string directory;
  /// Whether somebody is working on it: its record was checked as of one moment, its files were
  /// not.
  bool runs = false;
  std::uint64_t events = 0;
  std::uint64_t trials = 0;
  /// Answers of scheduler and searcher that were computed again.
  std::uint64_t verified = 0;
  /// Answers of an external searcher, which only its process could repeat.
  std::uint64_t unverifiable = 0;
  findings found;
  /// Traces of a crash that the next start repairs: no faults.
  std::vector<crash_trace> to_mend;
  /// Files that could not be read. If there are any, no files of trials were checked.
  std::vector<unread_file> unread;

  [[nodiscard]] bool is_sound() const { return found.empty() && unread.empty(); }
};

/// Checks an experiment; only reads. @param all Everything the experiment may name.
/// @errors `ec::unreadable`: no experiment there; `ec::storage`: the database is damaged, not ours
///         or of a newer version; `ec::refused`: somebody resumed it meanwhile, or runs it on a
///         file system that machines share; `ec::unknown_name`: a scheduler or searcher of another
///         program.
[[nodiscard]] expected<fsck_result> check_experiment(const fsck_request& what, const choices& all);

/// Writes one line per finding and one for the whole; as JSON one object with all of it.
void write_fsck(const fsck_result& x, output_format format, std::ostream& out);

} // namespace tune::cli
