/// The sinks shipped.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"

namespace tune {

/// In the order of `tune-node list sinks`.
[[nodiscard]] sink_catalogue builtin_sinks();

/// Checks options of a shipped sink beyond their declarations, before anything begins. Those of
/// others are not checked.
/// @errors with a detail that starts with the option's name and a colon.
[[nodiscard]] expected<void> check_options(const sink_catalogue::entry& of, const options& with);

} // namespace tune
