/// Why a trial's configuration was proposed, reconstructed from the record.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/text_table.hpp"
#include "tune/core/check/suggestion_replay.hpp"
#include "tune/core/error.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/tuner/choices.hpp"

#include <atomic>
#include <iosfwd>
#include <string>

namespace tune {
class store_reader;
}

namespace tune::cli {

/// The explanation of a suggestion.
struct suggestion_story {
  explained_answer answer;
  /// Why there is no explanation; empty: there is one, or nothing to explain.
  std::string unknown;

  [[nodiscard]] bool is_empty() const { return !answer.what && unknown.empty(); }
};

/// Replays the log twice, up to the trial's creation: finds the answer that it comes from, rebuilds
/// its searcher and asks it. That takes time linear in the events before the trial, and then as
/// much work as a few suggestions. A searcher that does not learn has nothing to explain.
/// @param all Everything the experiment may name.
/// @param ends Once true, the replay leaves off, and the explanation is unknown; null: it never is.
/// @errors of the reader. Anything that only prevents an explanation is no error.
[[nodiscard]] expected<suggestion_story>
explain_suggestion(store_reader& from, trial_id of, const choices& all,
                   const std::atomic<bool>* ends = nullptr);

/// Writes lines for people, under a heading; none if there is nothing to say.
void write_suggestion(const suggestion_story& x, const objective& first, const style& colors,
                      std::ostream& out);

/// The explanation as an object, in the unit and the direction of the metric; null if there is
/// nothing to say.
[[nodiscard]] value suggestion_json(const suggestion_story& x, const objective& first);

} // namespace tune::cli
