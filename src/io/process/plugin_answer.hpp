/// Shared by the process that inspects a plugin and the one that asked for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace tune {

/// Longest answer about a plugin, which is one line. [bytes]
inline constexpr std::size_t longest_plugin_answer = 4 * 1024 * 1024;

} // namespace tune
