/// Finds out whether two machines see the same directory: one leaves a token, the other looks for
/// it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace tune {

/// The token's file name, directly in the experiment's directory.
inline constexpr const char* storage_token_name = ".tune_storage";

/// Leaves a token in `directory`, replacing an older one. @errors `ec::storage`.
[[nodiscard]] expected<void> leave_storage_token(const std::filesystem::path& directory,
                                                 const std::string& token);
void remove_storage_token(const std::filesystem::path& directory);

/// How this process sees a directory of a head.
enum class storage_view : std::uint8_t {
  /// It is another directory, or there is none.
  elsewhere,
  read_only,
  writable,
};

/// Tells whether `directory` is the one in which the token was left, and what may be done there.
[[nodiscard]] storage_view view_of_storage(const std::filesystem::path& directory,
                                           const std::string& token);

/// Whether `directory` is the same one in which the token was left, and is writable.
[[nodiscard]] bool shares_storage(const std::filesystem::path& directory, const std::string& token);

} // namespace tune
