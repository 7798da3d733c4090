/// The file that names who submitted an experiment to a head. It lies beside the database and
/// outlives heads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tune::cli {

/// Name of that file in an experiment's directory.
inline constexpr std::string_view submitter_file = "submitted-by";

/// Writes who submitted the experiment in `directory`, on the disk when it returns.
/// @param identity Subject of the client's certificate, one line; empty: it shows none.
/// @errors `ec::storage`.
[[nodiscard]] expected<void> write_submitter(const std::filesystem::path& directory,
                                             const std::string& identity);

/// Nothing where it was not submitted to a head. @errors `ec::storage`.
[[nodiscard]] expected<std::optional<std::string>>
read_submitter(const std::filesystem::path& directory);

/// Checks that a client of this identity may see and steer the experiment in `directory`: whoever
/// submitted it may. A head without certificates serves its own machine alone, and there everybody
/// may. This is for commands; `is_heard_by` in src/net/submission_server.cpp checks the questions
/// of those who follow a running experiment.
/// @errors `ec::unknown_name`: there is no experiment; `ec::refused`; `ec::storage`.
[[nodiscard]] expected<void> may_see_and_steer(const std::filesystem::path& directory,
                                               const std::string& identity);

} // namespace tune::cli
