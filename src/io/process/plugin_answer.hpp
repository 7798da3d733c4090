/// Between the process that looks into a plugin and the one that asked it to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace tune {

/// What it says of a plugin: one line. [bytes]
inline constexpr std::size_t longest_plugin_answer = 4 * 1024 * 1024;

} // namespace tune
