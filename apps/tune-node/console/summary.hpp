/// What is said at the end of an experiment, to people and to programs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/run_snapshot.hpp"
#include "console/style.hpp"
#include "tune/core/experiment/command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tune::cli {

/// How it ended, beside what the snapshot says.
struct run_ending {
  experiment_status status = experiment_status::done;
  /// Why, where that is worth saying; may be empty.
  std::string why;
  /// The specification the user gave to `run`; empty: none.
  std::string spec_file;
  /// "HOST:PORT" of the head where it ran; empty: here.
  std::string head = {};
  /// The further words of that `run`, without the experiment's name; not quoted.
  std::vector<std::string> given = {};
  /// Whether it broke off since its record could not be written.
  bool has_lost_record = false;
  /// Whether its record is not where it was begun any more.
  bool is_gone = false;
};

/// Several lines for people, with line ends: status, counts, the best configuration one
/// `key = value` per line, the directory, and the commands one may want next; without a directory
/// neither.
[[nodiscard]] std::string summary_text(const run_snapshot& x, const run_ending& end,
                                       const style& look);

/// One JSON object, with a line end:
/// `{"experiment","directory","status","counts":{…},"best":{"trial","config","metrics",
/// "checkpoint"},"elapsed_s"}`. `counts` has all five statuses; `best` is null where no trial
/// reported, its `checkpoint` null where there is none; numbers that are not finite are texts.
/// Where there is no directory it is null, too.
///
/// @param why       Why it ended so, as a further member; empty: there is nothing to say.
/// @param simulated What to tell of a simulation, as a further member; empty: it was none.
[[nodiscard]] std::string summary_json(const run_snapshot& x, experiment_status status,
                                       const std::string& why = {}, object simulated = {});

/// Its parts: counts and the best trial, for people; the object, with any word for the status.
[[nodiscard]] std::string progress_text(const run_snapshot& x, const style& look);
[[nodiscard]] object summary_object(const run_snapshot& x, std::string_view status);

/// The exact commands that make sense next, each with a word of what it does.
struct next_step {
  std::string command;
  std::string purpose;
};
[[nodiscard]] std::vector<next_step> next_steps(const run_snapshot& x, const run_ending& end);

} // namespace tune::cli
