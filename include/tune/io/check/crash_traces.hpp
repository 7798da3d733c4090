/// What a crash or a loss of power left in an experiment's directory, and the next start mends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/store/store_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tune {

/// One thing that is no fault: nothing acknowledged is in it.
struct crash_trace {
  /// "torn_tail": the end of a file that holds no whole transaction, line or record; it is cut off.
  /// "behind": a file for people that is not what the record gives; it is written anew.
  /// "leftover": what was being written or removed; it is removed.
  std::string kind;
  /// File or directory, relative to the experiment's.
  std::string path;
  /// So many bytes are concerned; 0 where nobody counted.
  std::uint64_t bytes = 0;
  /// One clause without a full stop.
  std::string what;
};

/// "experiment.db-wal: torn tail: 4120 bytes hold no whole transaction".
[[nodiscard]] std::string to_text(const crash_trace& x);

struct crash_trace_query {
  /// Locations of the checkpoints that may be there: those that are registered and not removed.
  std::set<std::string> registered;
  /// Locations of those that are recorded as removed.
  std::set<std::string> removed{};
  /// Whether files of each trial are written below `trials/`.
  bool trial_files = true;
};

/// Looks at the write-ahead log, checkpoints, and the files of trials. Changes nothing.
///
/// @param with      Of the experiment in `directory`, at rest.
/// @returns at most `findings::most` of them. @errors of the reader; `ec::storage`. A damaged
///          write-ahead log is no error here: `store_reader::faults` tells of it.
[[nodiscard]] expected<std::vector<crash_trace>>
crash_traces(store_reader& with, const std::filesystem::path& directory,
             const crash_trace_query& about);

} // namespace tune
