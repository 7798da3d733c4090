/// What is kept of a file's mode.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tune {

/// Who may execute it: all that copies, manifests and packages keep of a mode.
inline constexpr std::uint32_t executable_bits = 0111;

} // namespace tune
