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

/// Whether only clients bring it on: no trial is left, and its searcher proposes nothing but the
/// points, which have all been tried (`[search] type = none`). Work grows with the number of live
/// trials.
/// @param by What its searcher says of itself.
[[nodiscard]] bool waits_for_clients(const experiment& x, const searcher_traits& by);

/// What people are told of that.
[[nodiscard]] std::string client_wait_text();

/// What people are told of one that waits for its searcher: what is waited for, and what ends that.
///
/// @param patience How long the searcher is asked again in all; see `experiment_settings`. 0: not
///                 told.
[[nodiscard]] std::string searcher_wait_text(std::chrono::nanoseconds patience);

/// Whether nothing but the searcher's answer to an open question brings it on: no trial is left, or
/// there was none yet. Work grows with the number of live trials.
[[nodiscard]] bool waits_for_answer(const experiment& x);

/// How long such a wait lasts before people are told of it.
constexpr std::chrono::seconds answer_wait_told_after{3};

/// What people are told of that.
/// @param by What its searcher says of itself.
[[nodiscard]] std::string answer_wait_text(const searcher_traits& by);

} // namespace tune
