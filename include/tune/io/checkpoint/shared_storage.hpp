/// Finds out whether two machines see the same directory: one leaves a token, the other looks for
/// it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// The token's file name, directly in the experiment's directory.
inline constexpr const char* storage_token_name = ".tune_storage";

/// Leaves a token in `directory`, replacing an older one. @errors `ec::storage`.
[[nodiscard]] expected<void> leave_storage_token(const std::filesystem::path& directory,
                                                 const std::string& token);
void remove_storage_token(const std::filesystem::path& directory);

/// Whether `directory` is the same one in which the token was left, and is writable.
[[nodiscard]] bool shares_storage(const std::filesystem::path& directory, const std::string& token);

} // namespace tune
