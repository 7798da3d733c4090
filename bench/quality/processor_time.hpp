/// How long something took a program, however busy the machine is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>

namespace tune::quality {

/// Seconds of processor time of all threads of this process. @param begin Of `std::clock`.
inline double seconds_since(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

} // namespace tune::quality
