/// What whoever asks rules makes of their answers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"

#include <string_view>

namespace tune {

/// The event that follows where a rule cannot answer, since it threw or is gone: the experiment
/// cannot go on without it, but once it is mended.
/// @param which Such as "the scheduler". @param why For people.
[[nodiscard]] on::interrupted rule_failed(std::string_view which, std::string_view why);

/// @returns the answer. Throws `std::runtime_error` where it is one to another question than
/// `cause`: nobody would hear it.
[[nodiscard]] decision answer_about(sequence cause, decision answer);

/// @returns the answer as an event. Throws `std::runtime_error` where a suggestion has no
/// configuration, or there are more of them than were asked for.
[[nodiscard]] on::suggested answer_to(const ask& question, proposal answer);

} // namespace tune
