/// What a configuration asks for and this machine does not have: a program, a memory limit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/load.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tune {

/// Why trials cannot run their command here: its program is named without a place and stands in no
/// directory of PATH. Nothing where it is found, or where only a trial knows its name. Other
/// machines may have it.
/// @param environment That of this process; `env.PATH` of `[trainable]` goes before it.
[[nodiscard]] std::optional<config_fault>
missing_program(const loaded_spec& x, const std::map<std::string, std::string>& environment);

/// A warning where `[resources] memory` is given and nothing on this machine would enforce it.
/// @param can_limit Whether a process can be limited: `can_limit_memory`. Asked only where it
///                  matters.
[[nodiscard]] std::optional<config_fault> unenforced_memory(const loaded_spec& x,
                                                            const std::function<bool()>& can_limit);

} // namespace tune
