/// Finds an unused TCP port.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>

namespace tune {

/// Has the kernel choose a TCP port that is free at all addresses of this machine. The port is not
/// reserved, so the receiver should listen on it soon.
/// @errors `ec::shortage` if no port, or no descriptor to ask with, is available.
[[nodiscard]] expected<std::uint16_t> free_port();

} // namespace tune
