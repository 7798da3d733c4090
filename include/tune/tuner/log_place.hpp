/// Where the runtime's own log may lie.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// The log may lie in the experiment's directory, but in the place of nothing there. Looks only.
/// @param file As `[log] file`; empty: there is none. @errors `ec::bad_option`, naming the key.
[[nodiscard]] expected<void> check_log_file(const std::filesystem::path& directory,
                                            const std::string& file);

} // namespace tune
