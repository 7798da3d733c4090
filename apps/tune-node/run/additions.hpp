/// Configurations that are tried as an experiment goes on: `--add`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"
#include "tune/core/space/space.hpp"

#include <string>
#include <vector>

namespace tune::cli {

/// @param json One configuration, an object, or a list of such; empty: none. What a configuration
///             leaves out gets the value that `complete_config` gives it.
/// @param key  Each is added once, however often it is asked for with the same key. Empty: each
///             time.
/// @errors `ec::bad_syntax`, `ec::bad_option`.
[[nodiscard]] expected<std::vector<on::add_asked>>
additions_of(const std::string& json, const search_space& space, const std::string& key = {});

} // namespace tune::cli
