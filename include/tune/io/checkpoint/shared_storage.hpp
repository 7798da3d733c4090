/// Whether two machines see the same directory: one leaves a token there, the other looks for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// The token's file, directly in the experiment's directory.
inline constexpr const char* storage_token_name = ".tune_storage";

/// Leaves a token in `directory`, in the place of an older one. @errors `ec::storage`.
[[nodiscard]] expected<void> leave_storage_token(const std::filesystem::path& directory,
                                                 const std::string& token);
void remove_storage_token(const std::filesystem::path& directory);

/// Whether `directory` is here what it is where the token was left, and can be written to.
[[nodiscard]] bool shares_storage(const std::filesystem::path& directory, const std::string& token);

} // namespace tune
