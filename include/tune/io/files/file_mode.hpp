/// The part of a file's mode that is kept.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tune {

/// The executable bits, the only part of a mode that copies, manifests and packages keep.
inline constexpr std::uint32_t executable_bits = 0111;

} // namespace tune
