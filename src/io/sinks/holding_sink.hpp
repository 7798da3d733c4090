/// Sinks that keep what they are told until they can deliver it as a whole. Private to the sinks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"

namespace tune {

/// A sink whose `flush` may succeed although part of what it was told is still in memory: a span,
/// say, that has not ended yet.
class holding_sink : public trial_sink {
public:
  /// Number of entries of the log that belong to what it has delivered, in earlier runs too.
  [[nodiscard]] virtual sequence delivered() const = 0;
};

} // namespace tune
