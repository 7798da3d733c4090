/// Asks the head of an experiment through its control socket.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/control/control_words.hpp"

#include <chrono>
#include <filesystem>

namespace tune {

/// Asks the head of `experiment` and waits for its answer, for at most `patience` after it was
/// reached; for a few seconds where the process of the head is stopped. It may be done after that.
/// @errors as `connect_control`; `ec::unreachable` where no answer comes; what the head refused it
///   with.
[[nodiscard]] expected<control_answer>
ask_control(const std::filesystem::path& experiment, const control_request& what,
            std::chrono::milliseconds patience = std::chrono::seconds{60});

} // namespace tune
