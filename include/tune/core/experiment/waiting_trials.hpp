/// How many trials of an experiment wait to run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/experiment.hpp"
#include "tune/core/trial/status.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tune {

/// Trials that are pending, but for those that clients paused. The cluster is asked for resources
/// for part of them at a time, which are the requests that it knows of.
/// @param requests How many it knows of; the answer is no less.
[[nodiscard]] inline std::uint64_t waiting_trials(const experiment_view& x,
                                                  std::uint64_t requests) {
  if (x.suspended)
    return requests;
  const auto of = [&x](trial_status which) { return x.counts[static_cast<std::size_t>(which)]; };
  const auto held_back = x.held - std::min(x.held, of(trial_status::paused));
  const auto pending = of(trial_status::pending);
  return std::max(requests, pending - std::min(pending, held_back));
}

} // namespace tune
