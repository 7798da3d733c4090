/// A sink that sends traces by OTLP/HTTP, as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sinks/builtin_sink.hpp"

namespace tune {

[[nodiscard]] builtin_sink otlp_entry();

} // namespace tune
