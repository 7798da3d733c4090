/// This machine as a node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "tune/actors/node.hpp"
#include "tune/tuner/choices.hpp"

#include <functional>
#include <string>

namespace tune::cli {

/// The resources of this machine, or the offered part of them.
/// @param warn Called with each problem of this machine that does not prevent a start.
/// @errors `ec::impossible_request` where more GPUs are offered than the driver lists.
[[nodiscard]] expected<node_settings>
node_here(std::string name, const offered_request& offers, const choices& all,
          const std::function<void(const std::string&)>& warn);

} // namespace tune::cli
