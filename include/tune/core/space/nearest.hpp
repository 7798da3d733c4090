/// Values of one domain in terms of another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/domain.hpp"

#include <optional>

namespace tune {

/// What stands for `x` in a domain that it was not drawn from: the value itself, or of numbers that
/// lie between the ends of the domain the nearest one of it (whole, a multiple of the step, or a
/// member of a list of numbers). Nothing where it lies outside, or is of another kind. In a
/// dependent range every number of its kind is a value: ask for the range that holds.
[[nodiscard]] std::optional<value> nearest_in(const domain& what, const value& x);

} // namespace tune
