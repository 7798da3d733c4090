/// Where to find the whole output of which a failure quotes a part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace tune::cli {

/// The command that shows everything a failed trial wrote to the stream of the quoted lines:
/// "tune-node logs results/digits 00003 --stderr".
/// @param directory The experiment's, as the user would name it.
/// @param quoted    The last lines of the failure's text.
/// @returns an empty text if these lines are in none of the trial's files: it keeps none, or the
///         program sent them by its protocol.
[[nodiscard]] std::string whole_output_command(const std::filesystem::path& directory,
                                               trial_id trial, std::string_view quoted);

} // namespace tune::cli
