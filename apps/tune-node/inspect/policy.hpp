/// The policy that population based training found for one trial: `tune-node trials DIR --policy
/// TRIAL`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/ids.hpp"

#include <iosfwd>

namespace tune {
class store_reader;
}

namespace tune::cli {

/// Writes the chain of exploits that led to the trial's present state, in the format of
/// `pbt_replay`: one JSON list per line, oldest first. [target, donor, the target's iteration, that
/// of the donor's checkpoint, the donor's configuration, the new configuration]
///
/// @errors `ec::unknown_name` if it never took over another trial's state; of the reader.
[[nodiscard]] expected<void> write_policy(store_reader& from, trial_id of, std::ostream& out);

} // namespace tune::cli
