/// Finds requirements of a configuration that this machine cannot meet: a program, a memory limit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/load.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tune {

/// The fault that trials cannot run their command here, because its program is named without a
/// directory and is not in PATH. Empty if it is found, or if its name depends on the trial. Other
/// machines may have it.
/// @param environment Environment of this process; `env.PATH` of `[trainable]` takes precedence.
[[nodiscard]] std::optional<config_fault>
missing_program(const loaded_spec& x, const std::map<std::string, std::string>& environment);

/// A warning if `[resources] memory` is set and nothing on this machine would enforce it.
/// @param can_limit Whether processes can be limited: `can_limit_memory`. Called only if needed.
[[nodiscard]] std::optional<config_fault> unenforced_memory(const loaded_spec& x,
                                                            const std::function<bool()>& can_limit);

} // namespace tune
