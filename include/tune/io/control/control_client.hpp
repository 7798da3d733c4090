/// Sends requests to the head of an experiment through its control socket.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/control/control_words.hpp"

#include <chrono>
#include <filesystem>

namespace tune {

/// Sends a request to the head of `experiment` and waits for the answer, for at most `patience`
/// after connecting; only for a few seconds if the head's process is stopped. The head may still
/// carry out the request after that.
/// @errors as `connect_control`; `ec::unreachable` if no answer comes; the head's error if it
///   refused the request.
[[nodiscard]] expected<control_answer>
ask_control(const std::filesystem::path& experiment, const control_request& what,
            std::chrono::milliseconds patience = std::chrono::seconds{60});

} // namespace tune
