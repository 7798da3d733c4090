/// Shared libraries that provide trainables: see tune/trainable/plugin.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/trainable/trainable.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// Loads a plugin into this process permanently and adds its trainables. Runs code of the plugin:
/// for hosts of trainables only.
/// @errors `ec::bad_option` if the file cannot be loaded, is not a plugin, or was built for another
///         version.
[[nodiscard]] expected<void> load_plugin(const std::filesystem::path& plugin,
                                         trainable_registry& to);

/// How long a plugin may take to list its trainables.
inline constexpr std::chrono::seconds plugin_patience{30};

/// Starts this program again as a host of the plugin and asks it for its list of trainables. No
/// code of the plugin runs in this process.
/// @returns entries with names, kinds and summaries only; they cannot be run.
/// @errors as `load_plugin`, also if the plugin ends its process or does not answer within
///   `patience`; `ec::refused` if this program cannot host; `ec::shortage`.
[[nodiscard]] expected<trainable_registry> probe_plugin(const std::filesystem::path& plugin,
                                                        std::chrono::milliseconds patience
                                                        = plugin_patience);

/// The command line that starts this program for `probe_plugin`.
[[nodiscard]] std::vector<std::string> plugin_probe_command(const std::filesystem::path& plugin,
                                                            int fd);

/// Main function of the process that `probe_plugin` starts: loads the plugin, writes the list of
/// its trainables to `fd`, and ends all processes that were started there. @param fd destination of
/// the answer. @returns the exit status.
[[nodiscard]] int tell_of_plugin(const std::filesystem::path& plugin, int fd);

} // namespace tune
