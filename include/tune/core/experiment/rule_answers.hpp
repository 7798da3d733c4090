/// Checks of the answers of schedulers and searchers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"

#include <string_view>

namespace tune {

/// The event to post when a rule cannot answer because it threw or is gone: the experiment cannot
/// go on without it, but can be resumed once it is fixed.
/// @param which Such as "the scheduler".
/// @param why   Text for people.
[[nodiscard]] on::interrupted rule_failed(std::string_view which, std::string_view why);

/// @returns `answer`. Throws `std::runtime_error` if it answers another question than `cause`: no
///          one would receive it.
[[nodiscard]] decision answer_about(sequence cause, decision answer);

/// @returns the answer as an event. Throws `std::runtime_error` if a suggestion has no
///          configuration, or there are more suggestions than were asked for.
[[nodiscard]] on::suggested answer_to(const ask& question, proposal answer);

} // namespace tune
