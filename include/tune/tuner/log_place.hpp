/// Checks where the runtime's own log is to lie.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// The log may lie in the experiment's directory, but must not replace anything there. Only looks.
/// @param file As `[log] file`; empty: no log. @errors `ec::bad_option`, naming the key.
[[nodiscard]] expected<void> check_log_file(const std::filesystem::path& directory,
                                            const std::string& file);

} // namespace tune
