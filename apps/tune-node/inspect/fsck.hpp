/// `tune-node fsck`: replays an experiment's log, and checks it and all rows against the promises.
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

/// What a check came to.
struct fsck_result {
  std::string directory;
  /// Somebody works on it: its record was checked as it was at one moment, its files were not.
  bool runs = false;
  std::uint64_t events = 0;
  std::uint64_t trials = 0;
  /// Answers of scheduler and searcher that were computed once more.
  std::uint64_t verified = 0;
  /// Answers of an external searcher, which only its process could give again.
  std::uint64_t unverifiable = 0;
  findings found;
  /// What the next start mends: no faults.
  std::vector<crash_trace> to_mend;
  /// What nobody could look at. Where there is any, no files of trials were looked at.
  std::vector<unread_file> unread;

  [[nodiscard]] bool is_sound() const { return found.empty() && unread.empty(); }
};

/// Reads only. @param all What the experiment may name.
/// @errors `ec::unreadable`: no experiment there; `ec::storage`: the database is damaged, not ours
///         or of a newer version; `ec::refused`: somebody began to go on with it meanwhile, or runs
///         it on a file system that machines share;
///         `ec::unknown_name`: a scheduler or searcher of another program.
[[nodiscard]] expected<fsck_result> check_experiment(const fsck_request& what, const choices& all);

/// One line per finding and one for the whole; as JSON one object with all of it.
void write_fsck(const fsck_result& x, output_format format, std::ostream& out);

} // namespace tune::cli
