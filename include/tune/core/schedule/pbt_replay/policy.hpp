/// A schedule of configurations that population based training found for one trial.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tune::pbt_replay {

/// A configuration and the iteration from which it applies.
struct step {
  std::uint64_t iteration = 0;
  object config;
};

struct policy {
  /// The initial configuration.
  object first;
  /// In the order of execution; iterations never fall.
  std::vector<step> steps;
};

/// Reads a policy as Ray Tune writes it: one list per exploit, one after another, oldest first:
/// [target, donor, the target's iteration, the donor's iteration, the donor's configuration, the
/// new configuration]. Read backwards from the end until the chain breaks: where the target of a
/// row is not the donor of the next.
///
/// @errors `ec::bad_syntax`, naming the row; `ec::bad_option` if there is no row, or if iterations
///         fall.
[[nodiscard]] expected<policy> read_policy(std::string_view text);

} // namespace tune::pbt_replay
