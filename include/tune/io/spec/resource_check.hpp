/// Whether what a trial asks for could ever be had.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/resources.hpp"
#include "tune/io/spec/load.hpp"

#include <map>
#include <optional>
#include <string>

namespace tune {

/// Why no trial of `x` could ever start on `nodes` (capacities by name): a fault at the key of
/// `[resources]` that is to blame, with the request and what the cluster has. Nothing where they
/// could. `[cluster] queue_trials` changes nothing: it waits for workers, and none will join.
///
/// For whoever knows all nodes beforehand: where others may join, only time tells.
///
/// @param why_fewer_gpus For a request that fails for want of GPUs; may be empty.
[[nodiscard]] std::optional<config_fault>
impossible_request(const loaded_spec& x, const std::map<std::string, resources>& nodes,
                   const std::string& why_fewer_gpus = {});

/// A fault where `[cluster] gpus` offers what this machine lacks.
/// @param lack Why it cannot offer so many; empty: it can.
[[nodiscard]] std::optional<config_fault> impossible_offer(const loaded_spec& x,
                                                           const std::string& lack);

} // namespace tune
