/// What the trials of an experiment take of each node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/resources.hpp"
#include "view/node_track.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace tune::cli {

/// An attempt that is not over, as its row says.
struct open_attempt {
  trial_id trial;
  attempt_id attempt;
  /// Of its first bundle.
  std::string node;
};

struct node_use {
  /// Trials of which at least one bundle lies there.
  std::uint64_t running = 0;
  /// Empty where it is not known of one of them.
  std::optional<resources> used = resources{};
};

/// By node; nodes on which nothing lies are left out.
[[nodiscard]] std::map<std::string, node_use>
use_of_nodes(std::span<const open_attempt> open,
             const std::map<trial_id, node_track::placement>& placed);

} // namespace tune::cli
