/// Why a trial's configuration was proposed, worked out from the record.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "console/text_table.hpp"
#include "tune/core/check/suggestion_replay.hpp"
#include "tune/core/error.hpp"
#include "tune/core/experiment/settings.hpp"
#include "tune/tuner/choices.hpp"

#include <iosfwd>
#include <string>

namespace tune {
class store_reader;
}

namespace tune::cli {

/// What there is to say of a suggestion.
struct suggestion_story {
  explained_answer answer;
  /// Why nothing could be worked out; empty: it could, or there is nothing to say.
  std::string unknown;

  [[nodiscard]] bool is_empty() const { return !answer.what && unknown.empty(); }
};

/// Replays the log twice, up to where the trial began: the answer that it comes from is found, and
/// its searcher rebuilt and asked. That is linear in the events before it, and then as much work as
/// a few suggestions. Nothing is worked out where the searcher does not learn.
/// @param all What the experiment may name.
/// @errors those of the reader. What only keeps it from being explained is no error.
[[nodiscard]] expected<suggestion_story> explain_suggestion(store_reader& from, trial_id of,
                                                            const choices& all);

/// Lines for people, under a heading; none where there is nothing to say.
void write_suggestion(const suggestion_story& x, const objective& first, const style& colors,
                      std::ostream& out);

/// The same as an object, in the unit and the direction of the metric; null where there is nothing
/// to say.
[[nodiscard]] value suggestion_json(const suggestion_story& x, const objective& first);

} // namespace tune::cli
