/// The configuration of a trial's process, in a file.
///
///     params.json           the configuration as JSON, for every program
///     .params.json.places   only for hosts, and where it is needed: which of its texts "nan",
///     "inf"
///                           and "-inf" are numbers, as a list of paths of positions
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// Puts the configuration in the place of whatever an earlier attempt left there.
/// @param exact Such that `read_params` gives back every number.
/// @returns a text about what was replaced and was no file; else nothing.
/// @errors `ec::refused` where a directory is in the way, or its own directory is none;
///         `ec::storage`; `ec::shortage` where there is no descriptor for it now.
[[nodiscard]] expected<std::string> write_params(const std::filesystem::path& file,
                                                 const object& config, bool exact);

/// Reads what was written. @errors `ec::unreadable`; those of `object_from_json`.
[[nodiscard]] expected<object> read_params(const std::filesystem::path& file);

} // namespace tune
