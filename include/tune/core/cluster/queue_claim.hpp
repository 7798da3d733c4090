/// What gives an experiment its place in a head's queue, besides its priority.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tune {

/// As the head's record has it, so that the head after it gives the same place.
struct queue_claim {
  /// It was submitted as number so many of this head and those before it; 0: as it enters.
  std::uint64_t arrival = 0;
  /// The head before this one served it when that died: nothing that was not goes before it.
  bool was_served = false;
};

} // namespace tune
