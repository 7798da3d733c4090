/// A sink that tells a program of each event, line by line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sinks/builtin_sink.hpp"

namespace tune {

[[nodiscard]] builtin_sink hook_entry();

} // namespace tune
