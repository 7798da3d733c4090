/// A sink that writes event files for TensorBoard.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sinks/builtin_sink.hpp"

namespace tune {

[[nodiscard]] builtin_sink tensorboard_entry();

} // namespace tune
