/// What population based training found for one trial: a schedule of configurations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tune::pbt_replay {

/// From this iteration on, this configuration.
struct step {
  std::uint64_t iteration = 0;
  object config;
};

struct policy {
  /// What it begins with.
  object first;
  /// In the order in which they come; iterations never fall.
  std::vector<step> steps;
};

/// Reads a policy as Ray Tune writes it: one list for each exploit, oldest first, behind each
/// other: [target, donor, the target's iteration, the donor's iteration, the donor's configuration,
/// the new configuration]. Read from the end back to where the chain breaks: where the target of a
/// row is not the donor of the next.
///
/// @errors `ec::bad_syntax`, naming the row; `ec::bad_option` where there is no row, or where
///         iterations fall.
[[nodiscard]] expected<policy> read_policy(std::string_view text);

} // namespace tune::pbt_replay
