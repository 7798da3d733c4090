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
///
/// @param why_fewer_gpus Why the nodes have no more GPUs; told if the request fails for these.
[[nodiscard]] std::optional<config_fault>
impossible_request(const loaded_spec& x, const std::map<std::string, resources>& nodes,
                   const std::string& why_fewer_gpus = {});

/// A fault where `[cluster] gpus` offers what this machine lacks.
/// @param lack Why it cannot offer so many; empty: it can.
[[nodiscard]] std::optional<config_fault> impossible_offer(const loaded_spec& x,
                                                           const std::string& lack);

} // namespace tune
