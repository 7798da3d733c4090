/// What the messages of an attempt mean to its run. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/local_messages.hpp"
#include "tune/actors/wire.hpp"
#include "tune/core/experiment/event.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tune {

[[nodiscard]] event_body event_of(trial_id trial, const attempt_started& what);

/// @param is_far Whether another machine says it: it is believed about the attempt's own
///               checkpoints alone, and a place elsewhere counts as a save that failed.
[[nodiscard]] event_body event_of(trial_id trial, const attempt_saved& what, bool is_far);

[[nodiscard]] event_body event_of(trial_id trial, const attempt_save_failed& what);

/// Nothing if the lists differ in length.
[[nodiscard]] std::optional<event_body> event_of(trial_id trial, const attempt_exported& what);

/// Of the costs, the known kinds alone are taken.
[[nodiscard]] event_body event_of(trial_id trial, const attempt_ended& what);

/// The end of an attempt whose trainable went away without telling it.
[[nodiscard]] attempt_ended end_without_word(attempt_key attempt, const std::string& why);

/// A number that no mode has means `halt_mode::kill`.
[[nodiscard]] halt_mode mode_of(const attempt_halt& what);

/// The remarks of an attempt for people, with the trial's name.
/// @param pairs As in `attempt_report::remarks`; a subject without a text is left out.
[[nodiscard]] std::vector<remark> remarks_of(trial_id trial, const std::vector<std::string>& pairs);

} // namespace tune
