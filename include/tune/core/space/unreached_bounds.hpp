/// Bounds of a range of multiples that are never drawn: `qrandint(0, 10, 3)` ends at 9.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/domain.hpp"

#include <string>

namespace tune {

/// Names the bounds that are no multiples of the step, each with the last value before it: "high =
/// 10 is no multiple of q = 3: the greatest value is 9". Empty if both are, and for all domains
/// except ranges of whole numbers with a step: others are refused with such bounds, or have none.
[[nodiscard]] std::string unreached_bounds(const domain& what);

} // namespace tune
