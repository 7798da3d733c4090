/// Removes a directory in slices, for callers that must not keep others waiting.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/files/sliced.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// `remove_tree` in slices and without a time limit. If given up, the rest stays.
/// @param name a name in it, without "/".
sliced<expected<void>> removing_tree(guarded_directory in, std::string name);

/// `remove_tree_below` in slices.
sliced<expected<void>> removing_tree_below(std::filesystem::path trusted,
                                           std::filesystem::path way);

} // namespace tune
