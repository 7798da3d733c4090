/// Checks whether a trial's resource request could ever be met.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/resources.hpp"
#include "tune/io/spec/load.hpp"

#include <map>
#include <optional>
#include <string>

namespace tune {

/// The fault if no trial of `x` could ever start on `nodes` (capacities by name): at the key of
/// `[resources]` that causes it, with the request and the cluster's capacity. Empty if trials could
/// start. `[cluster] queue_trials` makes no difference: it waits for workers, and none will join.
///
/// Only for callers that know all nodes beforehand: if others may join, the request may become
/// possible later.
[[nodiscard]] std::optional<config_fault>
impossible_request(const loaded_spec& x, const std::map<std::string, resources>& nodes);

} // namespace tune
