/// Logarithm and exponential that give the same bits on every platform.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tune {

/// Natural logarithm, within about one unit in the last place.
///
/// The C library's `log` may differ in the last bit from one machine to the next; this one uses
/// only operations that IEEE 754 rounds exactly, so that equal seeds give equal configurations.
/// @returns NaN for x < 0 and NaN, -infinity for 0.
[[nodiscard]] double stable_log(double x);

/// e to the power of `x`, within about one unit in the last place; the same on every platform.
[[nodiscard]] double stable_exp(double x);

} // namespace tune
