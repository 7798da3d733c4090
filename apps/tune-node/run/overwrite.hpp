/// `--overwrite`: removes the experiment that is in the way.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace tune::cli {

/// Describes what is about to be removed, for people: "the experiment x in results/x: 12 trials,
/// done".
/// @errors `ec::refused` if `directory` is a link, holds no experiment of this program, or holds
///         files that no experiment has (naming one); `ec::storage` if it cannot be read.
[[nodiscard]] expected<std::string> removable(const std::filesystem::path& directory);

/// Removes the experiment in `directory`; the directory itself stays, and so does its lock. If it
/// holds none, nothing is done.
///
/// @param may Asked with the text of `removable`; an error refuses.
/// @errors as `removable`; `ec::refused` if somebody runs it; the error of `may`.
[[nodiscard]] expected<void>
overwrite(const std::filesystem::path& directory,
          const std::function<expected<void>(const std::string&)>& may);

/// Asks the user on the terminal; without one, `yes` is needed.
[[nodiscard]] expected<void> ask_to_remove(const std::string& what, bool yes);

} // namespace tune::cli
