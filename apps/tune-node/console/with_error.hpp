/// A mean and its error, for people.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tune::cli {

/// "0.93 ± 0.004".
///
/// @param error The standard error of the mean; NaN: unknown, and left out.
[[nodiscard]] std::string with_error(double mean, double error);

} // namespace tune::cli
