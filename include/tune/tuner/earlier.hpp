/// Reads what earlier experiments saw, to learn from it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/search/earlier.hpp"
#include "tune/io/spec/load.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// The directory of an experiment that is named by it, or by its database.
[[nodiscard]] std::filesystem::path named_experiment(const std::string& name,
                                                     const std::filesystem::path& caller);

/// What `[search] learn_from` comes to: of each experiment the trials that ended, as
/// `transfer::adapted` takes them over, by the first objective of `from` and its constraints. Empty
/// where the key is.
///
/// A trial counts what it reported last. Where the scheduler there stopped or paused trials, they
/// count what those that went on let expect of them (`fidelity::extrapolated`); without courses to
/// learn that from, those count that came as far as any. Failed trials are failed ones; where
/// configurations ran several times, each counts what its runs come to.
///
/// @param caller What relative paths stand against.
/// @param notes  Told, a line each, of what was left out.
/// @errors `ec::bad_option`, naming key and directory: no experiment, no trial that reported the
///         metric, no parameter or no trial that lies in the space.
[[nodiscard]] expected<std::vector<earlier_experiment>>
earlier_from(const loaded_spec& from, const std::filesystem::path& caller,
             std::vector<std::string>& notes);

} // namespace tune
