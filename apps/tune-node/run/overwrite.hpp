/// `--overwrite`: removes the experiment that is in the way.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace tune::cli {

/// What is about to be removed, for people: "the experiment x in results/x: 12 trials, done".
/// @errors `ec::refused` where `directory` is a link, holds no experiment of this program, or files
///         that no experiment has (naming one); `ec::storage` where it cannot be read.
[[nodiscard]] expected<std::string> removable(const std::filesystem::path& directory);

/// Removes the experiment in `directory`; the directory itself stays, and so does its lock. Where
/// it holds none, nothing is done.
///
/// @param may Asked with what `removable` says; no: refused.
/// @errors as `removable`; `ec::refused` where somebody runs it, or `may` says no.
[[nodiscard]] expected<void>
overwrite(const std::filesystem::path& directory,
          const std::function<expected<void>(const std::string&)>& may);

/// Asks on the terminal; where there is none, `yes` is needed.
[[nodiscard]] expected<void> ask_to_remove(const std::string& what, bool yes);

} // namespace tune::cli
