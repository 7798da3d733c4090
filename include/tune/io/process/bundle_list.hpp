/// The bundles of a trial in the JSON form that its process receives.
///
///     [{"node":"w1","address":"10.0.0.5","cpus":2,"gpus":1,"memory":0,"devices":"0"},…]
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/value.hpp"
#include "tune/trainable/trainable.hpp"

#include <string>
#include <vector>

namespace tune {

[[nodiscard]] value to_value(const std::vector<trial_bundle>& what);

/// Reads the bundles back; empty if `what` is not a list.
[[nodiscard]] std::vector<trial_bundle> bundles_from(const value& what);

/// The node names (or addresses) of all bundles, joined by commas.
[[nodiscard]] std::string nodes_of(const std::vector<trial_bundle>& what);
[[nodiscard]] std::string addresses_of(const std::vector<trial_bundle>& what);

} // namespace tune
