/// The texts at the end of an experiment, for people and for programs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/next_steps.hpp"
#include "console/run_snapshot.hpp"
#include "console/style.hpp"

#include <string>
#include <string_view>

namespace tune::cli {

/// Several lines for people, with line ends: status, counts, the best configuration one `key =
/// value` per line, the directory, and the likely next commands; without a directory neither of the
/// last two.
[[nodiscard]] std::string summary_text(const run_snapshot& x, const run_ending& end,
                                       const style& look);

/// One JSON object, with a line end:
/// `{"experiment","directory","status","counts":{…},"best":{"trial","config","metrics",
/// "checkpoint"},"elapsed_s"}`. `counts` has all five statuses; `best` is null if no trial
/// reported, its `checkpoint` null if there is none; numbers that are not finite are texts.
/// `directory` is null if there is none.
///
/// @param why       Why it ended so, as a further member; empty: no member.
/// @param simulated Facts about a simulation, as a further member; empty: no member.
[[nodiscard]] std::string summary_json(const run_snapshot& x, experiment_status status,
                                       const std::string& why = {}, object simulated = {});

/// Parts of the summary: counts and the best trial, for people; the object, with any text as its
/// status.
[[nodiscard]] std::string progress_text(const run_snapshot& x, const style& look);
[[nodiscard]] object summary_object(const run_snapshot& x, std::string_view status);

} // namespace tune::cli
