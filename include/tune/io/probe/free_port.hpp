/// A port that nobody uses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>

namespace tune {

/// Has the kernel choose a TCP port that is free at all addresses of this machine. It is not held:
/// whoever is told of it had better listen there soon.
/// @errors `ec::shortage` where there is none, or no descriptor to ask with.
[[nodiscard]] expected<std::uint16_t> free_port();

} // namespace tune
