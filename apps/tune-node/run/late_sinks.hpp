/// Brings sinks up to date that were behind when their experiment ended.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"
#include "tune/io/spec/spec.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace tune::cli {

/// Tells those of the sinks that are owed something, and that the configuration still chooses, what
/// they have missed. Waits for them, as long as the configuration allows; without any, it does
/// nothing.
/// @param directory The experiment's, absolute; nobody runs it.
/// @param tell Takes news for people, also from other threads.
void bring_up_late_sinks(const std::filesystem::path& directory, const spec& what,
                         const sink_catalogue& all,
                         const std::function<void(const std::string&)>& tell);

/// Which sinks are behind, and what brings them up to date, as a sentence; empty: none is.
[[nodiscard]] std::string late_sinks_text(const std::filesystem::path& directory);

} // namespace tune::cli
