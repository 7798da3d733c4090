/// Tells a service manager (systemd) how a standing process is doing: sd_notify(3).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace tune {

/// Sends state, such as "READY=1\nSTATUS=listening", to the socket that $NOTIFY_SOCKET names. Never
/// blocks; without the variable, or where nobody listens, nothing happens.
/// @returns whether it was sent.
bool notify_service_manager(const std::string& state);

/// The time within which the service manager wants to hear "WATCHDOG=1" of this process again;
/// empty: it does not watch it. [> 0]
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_limit();

} // namespace tune
