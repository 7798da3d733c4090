/// A trial's story as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "inspect/story.hpp"

#include <string>

namespace tune::cli {

/// One object in one line: the trial's row, `suggestion`, `attempts`, `decisions`, `checkpoints`.
/// Times are in seconds of experiment time; null stands for what is not there.
/// @param first The objective of which the suggestion speaks.
[[nodiscard]] std::string story_json(const trial_story& x, const objective& first);

} // namespace tune::cli
