/// Where all is of which a failure quotes a part.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace tune::cli {

/// The command that shows all that a failed trial wrote on the stream that the quoted lines are
/// from: "tune-node logs results/digits 00003 --stderr".
/// @param directory Of the experiment, as the user would name it.
/// @param quoted    The last lines of what the failure says.
/// @returns empty: they are in none of the trial's files, as where it keeps none, or where the
///          program said them in its protocol.
[[nodiscard]] std::string whole_output_command(const std::filesystem::path& directory,
                                               trial_id trial, std::string_view quoted);

} // namespace tune::cli
