/// Ends of attempts that the log does not have as events of their own. Private to io.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/event.hpp"
#include "tune/io/store/store_reader.hpp"

#include <vector>

namespace tune {

/// The attempts that an event ended which is no `on::ended`: those of a node that is gone, and one
/// that its node did not end in time. Such an event costs one pass over all attempts, any other
/// nothing.
/// @param what An event whose rows are written.
/// @errors those of `from`.
[[nodiscard]] expected<std::vector<on::ended>> silent_ends(store_reader& from, const event& what);

} // namespace tune
