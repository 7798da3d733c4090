/// An experiment that has no trial left, and whose searcher has nothing yet.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/experiment.hpp"

#include <chrono>
#include <string>

namespace tune {

/// Whether nothing but time brings it on: no trial is left, and its searcher, which had nothing,
/// is asked again later. Work grows with the number of live trials.
[[nodiscard]] bool waits_for_searcher(const experiment& x);

/// What people are told of it: what is waited for, and what ends that.
///
/// @param patience How long the searcher is asked again in all; see `experiment_settings`. 0: not
///                 told.
[[nodiscard]] std::string searcher_wait_text(std::chrono::nanoseconds patience);

} // namespace tune
