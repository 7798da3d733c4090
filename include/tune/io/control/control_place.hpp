/// Where an experiment's control socket is, who may open it, and whether a head lives.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>

namespace tune {

/// `DIR/.control`: a directory of the head's user alone, with the socket in it.
[[nodiscard]] std::filesystem::path control_directory(const std::filesystem::path& experiment);

/// Opens the socket of `experiment`, which the caller holds the lock of; one that a killed head
/// left is replaced. The path may be of any length.
/// @returns A listening descriptor that does not block and is not inherited over exec.
/// @errors `ec::refused` where the place belongs to somebody else; `ec::storage`.
[[nodiscard]] expected<int> open_control(const std::filesystem::path& experiment);

/// Removes the socket and its directory.
void remove_control(const std::filesystem::path& experiment);

/// Connects to the head of `experiment`.
/// @returns A descriptor that blocks, for at most `control_patience` at a time.
/// @errors `ec::unreachable` where nobody listens, saying whether somebody works on it;
///         `ec::refused` where it is not this user's.
[[nodiscard]] expected<int> connect_control(const std::filesystem::path& experiment);

/// Whether a head works on `experiment`, as far as this machine knows. Takes no lock and disturbs
/// nobody.
[[nodiscard]] bool is_led(const std::filesystem::path& experiment);

} // namespace tune
