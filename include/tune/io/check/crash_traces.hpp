/// Traces that a crash or a loss of power left in an experiment's directory and that the next start
/// repairs.
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

/// A single trace. It is not a fault, since it holds nothing that was acknowledged.
struct crash_trace {
  /// - "torn_tail": the end of a file that holds no whole transaction, line or record; the next
  ///   start cuts it off.
  /// - "behind": a file for people that does not agree with the record; it is rewritten.
  /// - "leftover": something that was being written or removed; it is removed.
  std::string kind;
  /// File or directory, relative to the experiment's directory.
  std::string path;
  /// Number of bytes affected; 0 if unknown.
  std::uint64_t bytes = 0;
  /// One clause without a full stop.
  std::string what;
};

/// "experiment.db-wal: torn tail: 4120 bytes hold no whole transaction".
[[nodiscard]] std::string to_text(const crash_trace& x);

struct crash_trace_query {
  /// Locations of the checkpoints that may exist: those that are registered and not removed.
  std::set<std::string> registered;
  /// Locations of the checkpoints that are recorded as removed.
  std::set<std::string> removed{};
  /// Whether files of each trial are written below `trials/`.
  bool trial_files = true;
};

/// Examines the write-ahead log, the checkpoints and the files of trials. Changes nothing.
///
/// @param with      Reader of the experiment in `directory`, which no head is running.
/// @returns at most `findings::most` traces. @errors those of the reader; `ec::storage`. A damaged
///          write-ahead log is not an error here: `store_reader::faults` reports it.
[[nodiscard]] expected<std::vector<crash_trace>>
crash_traces(store_reader& with, const std::filesystem::path& directory,
             const crash_trace_query& about);

} // namespace tune
