/// Shared libraries that bring trainables: see tune/trainable/plugin.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/trainable/trainable.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// Loads a plugin into this process, for good, and adds its trainables. Runs code of it: for hosts
/// of trainables.
/// @errors `ec::bad_option`: it cannot be loaded, is no plugin, or was built for another version.
[[nodiscard]] expected<void> load_plugin(const std::filesystem::path& plugin,
                                         trainable_registry& to);

/// How long a plugin may take to say what it has.
inline constexpr std::chrono::seconds plugin_patience{30};

/// Starts this program again as host of a plugin, and asks it what it has. Nothing of the plugin
/// runs in this process.
/// @returns entries that bear names, kinds and summaries, and cannot be run.
/// @errors as `load_plugin`, also where it ends its process or says nothing for `patience`;
///   `ec::refused` where this program cannot host; `ec::shortage`.
[[nodiscard]] expected<trainable_registry> probe_plugin(const std::filesystem::path& plugin,
                                                        std::chrono::milliseconds patience
                                                        = plugin_patience);

/// The words that start this program so.
[[nodiscard]] std::vector<std::string> plugin_probe_command(const std::filesystem::path& plugin,
                                                            int fd);

/// What `probe_plugin` started does: loads the plugin in a process of its own, tells what it has,
/// and ends all that was started there. @param fd where the answer goes. @returns the exit status.
[[nodiscard]] int tell_of_plugin(const std::filesystem::path& plugin, int fd);

} // namespace tune
