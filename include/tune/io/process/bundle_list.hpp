/// The bundles of a trial, as its process is told of them.
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

/// What it understands of it; nothing of what is no list.
[[nodiscard]] std::vector<trial_bundle> bundles_from(const value& what);

/// One word of each, joined by commas.
[[nodiscard]] std::string nodes_of(const std::vector<trial_bundle>& what);
[[nodiscard]] std::string addresses_of(const std::vector<trial_bundle>& what);

} // namespace tune
