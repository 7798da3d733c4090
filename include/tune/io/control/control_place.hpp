/// Creates, opens and removes an experiment's control socket, and tells whether a head is running.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>

namespace tune {

/// `DIR/.control`: a directory that only the head's user may access and that holds the socket.
[[nodiscard]] std::filesystem::path control_directory(const std::filesystem::path& experiment);

/// Opens the socket of `experiment`, whose lock the caller holds; a socket left by a killed head is
/// replaced. The path may be of any length.
/// @returns a listening descriptor, non-blocking and not inherited over exec.
/// @errors `ec::refused` if the directory belongs to another user; `ec::storage`.
[[nodiscard]] expected<int> open_control(const std::filesystem::path& experiment);

/// Removes the socket and its directory.
void remove_control(const std::filesystem::path& experiment);

/// Connects to the head of `experiment`.
/// @returns a blocking descriptor whose calls time out after `control_patience`.
/// @errors `ec::unreachable` if nobody listens, saying whether a process holds the experiment;
///         `ec::refused` if the socket belongs to another user.
[[nodiscard]] expected<int> connect_control(const std::filesystem::path& experiment);

/// Whether a head is running `experiment`, as far as this machine can tell. Takes no lock and
/// disturbs nobody.
[[nodiscard]] bool is_led(const std::filesystem::path& experiment);

} // namespace tune
