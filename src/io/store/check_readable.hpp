/// Checks that an event can be read back once it is written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/event.hpp"

namespace tune::store {

/// @errors `ec::bad_option` for values nested too deeply to be read back; `ec::internal`.
[[nodiscard]] expected<void> check_readable(const event& what);

} // namespace tune::store
