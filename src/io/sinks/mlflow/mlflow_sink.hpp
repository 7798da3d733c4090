/// A sink that tells an MLflow tracking server.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sinks/builtin_sink.hpp"

namespace tune {

[[nodiscard]] builtin_sink mlflow_entry();

} // namespace tune
