/// Reads the trials of earlier experiments, to learn from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/earlier.hpp"
#include "tune/io/spec/load.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// The directory of an experiment named by that directory or by its database.
[[nodiscard]] std::filesystem::path named_experiment(const std::string& name,
                                                     const std::filesystem::path& caller);

/// The experiments of `[search] learn_from`: for each the trials that ended, converted by
/// `transfer::adapted`, by the first objective of `from` and its constraints. Empty if the key is.
///
/// A trial counts with its last report. A trial that the scheduler there stopped or paused counts
/// with a value extrapolated from the trials that went on (`fidelity::extrapolated`); if there are
/// no courses to learn that from, only trials that came as far as any count. Failed trials count as
/// failed; where configurations ran several times, each counts with the result of its runs.
///
/// @param caller Directory that relative paths are relative to.
/// @param notes  Receives a line for each thing that was left out.
/// @errors `ec::bad_option`, naming key and directory: no experiment, no trial that reported the
///         metric, no parameter or no trial that lies in the space.
[[nodiscard]] expected<std::vector<earlier_experiment>>
earlier_from(const loaded_spec& from, const std::filesystem::path& caller,
             std::vector<std::string>& notes);

} // namespace tune
