/// Expected improvement, in logarithms, far into the tail.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tune::gp {

/// e^(x²)·erfc(x), computed without overflow or underflow. [x >= 0]
[[nodiscard]] double scaled_erfc(double x);

/// log(φ(z) + z·Φ(z)), which is log E[max(0, z + Z)] of a standard normal Z.
/// @source Ament et al., "Unexpected Improvements to Expected Improvement for Bayesian
///         Optimization", NeurIPS 2023.
[[nodiscard]] double log_improvement(double z);

} // namespace tune::gp
