/// The sink that keeps a copy of the experiment in a bucket of an object store.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sinks/builtin_sink.hpp"

namespace tune {

[[nodiscard]] builtin_sink s3_entry();

} // namespace tune
