/// This machine as a node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "tune/actors/node.hpp"
#include "tune/tuner/choices.hpp"

namespace tune::cli {

/// The resources of this machine, or the offered part of them.
[[nodiscard]] node_settings node_here(std::string name, const offered_request& offers,
                                      const choices& all);

} // namespace tune::cli
