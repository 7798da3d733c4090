/// The learning curve that trials of a run and of an executor have in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <cstdint>

namespace tune::samples {

inline constexpr std::uint64_t iterations = 9;

inline double loss_of(trial_id id, std::uint64_t iteration) {
  auto noise = static_cast<double>((id.number * 7919 + iteration * 104'729) % 97) / 97;
  return 1.0 / static_cast<double>(iteration + id.number % 5) + 0.1 * noise;
}

} // namespace tune::samples
