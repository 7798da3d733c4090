/// What is said of an experiment for which a further run has nothing to do, or no time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/experiment.hpp"
#include "tune/io/spec/resume_mode.hpp"
#include "tune/io/spec/spec.hpp"

#include <filesystem>
#include <string>

namespace tune::cli {

/// Says what can still be done, and which of the given keys are not heeded; lines for people.
/// @param how What the experiment ended by: unless it is done, failed trials alone were to run, and
///        there are none.
[[nodiscard]] std::string why_nothing_runs(const std::filesystem::path& directory,
                                           const spec& wanted, experiment_status how);

/// Whether what is added to the experiment would run before a limit of time ends it again.
/// @errors `ec::refused`, naming the limit's key.
[[nodiscard]] expected<void> has_time_for_more(const std::filesystem::path& directory,
                                               const spec& wanted);

/// Whether trials that failed, and run again in this mode, would run before a limit of time ends
/// the experiment again: they would count as not failed then. @errors as `has_time_for_more`.
[[nodiscard]] expected<void> has_time_for_failed(const std::filesystem::path& directory,
                                                 const spec& wanted, resume_mode mode);

/// What keeps further samples from running although they are wanted, as ", unless …"; empty:
/// nothing, since the experiment ended when its samples had.
[[nodiscard]] std::string unless_it_holds(const std::filesystem::path& directory);

/// The options that lift the limits of time at which the experiment ended, as " --key 0" each;
/// empty: it would not end by them again.
[[nodiscard]] std::string without_limits_met(const std::filesystem::path& directory);

} // namespace tune::cli
