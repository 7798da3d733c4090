/// The command that gets and gives back workers, with its rules, as users give it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/scaling.hpp"
#include "tune/io/scaling/scaling_command.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tune {

struct spec;

/// A command that gets and gives back workers.
struct scaling_options {
  scaling_command command;
  scaling_rules rules = {};
  /// This machine's name or address for workers, where the port's own says none; the command is
  /// told it.
  std::string host = {};
};

/// Reads `{"cpu": 4, "gpu": 1, "memory": "16GiB", "custom.licence": 1}`.
/// @returns one entry; none for an empty text. @errors as `parse_bundles`.
[[nodiscard]] expected<std::vector<resources>> scale_worker_from(const std::string& text);

/// `[cluster] scale_…`; nothing: there is no command.
[[nodiscard]] std::optional<scaling_options> scaling_options_of(const spec& x);

} // namespace tune
