/// The sinks that an experiment at rest still owes something, kept in its directory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// Keeps the names of sinks that have not stored everything, the end included; none: all have.
/// @param directory The experiment's.
/// @errors `ec::unreachable` with the path and the reason.
[[nodiscard]] expected<void> keep_owed_sinks(const std::filesystem::path& directory,
                                             const std::vector<std::string>& names);

/// The names that were kept last; none also where nothing is kept, or what is there is none.
[[nodiscard]] std::vector<std::string> owed_sinks(const std::filesystem::path& directory);

} // namespace tune
