/// A trial's story as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "inspect/story.hpp"

#include <string>

namespace tune::cli {

/// `checkpoint`, `location` (relative to the experiment's directory), `trial`, `iteration`, and the
/// `metrics` reported with it; null: unknown.
[[nodiscard]] object to_object(const saved_report& x);

/// One object in one line: the trial's row, `suggestion`, `attempts`, `decisions`, `checkpoints`.
/// Times are in seconds of experiment time; missing values are null.
/// @param first The objective that the suggestion refers to.
[[nodiscard]] std::string story_json(const trial_story& x, const objective& first);

} // namespace tune::cli
