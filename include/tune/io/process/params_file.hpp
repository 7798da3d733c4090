/// The file with the configuration of a trial's process.
///
///     params.json           the configuration as JSON, for every program
///     .params.json.places   only for hosts, and only if needed: the paths of positions whose
///                           texts "nan", "inf" and "-inf" are numbers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/value.hpp"

#include <filesystem>
#include <string>

namespace tune {

/// Writes the configuration, replacing whatever an earlier attempt left there.
/// @param exact Whether `read_params` must give back every number exactly.
/// @returns a text about the thing replaced if it was not a file; otherwise empty.
/// @errors `ec::refused` if a directory is in the way, or the parent is not a directory;
///         `ec::storage`; `ec::shortage` if no descriptor is available now.
[[nodiscard]] expected<std::string> write_params(const std::filesystem::path& file,
                                                 const object& config, bool exact);

/// Reads a configuration that `write_params` wrote. @errors `ec::unreadable`; those of
/// `object_from_json`.
[[nodiscard]] expected<object> read_params(const std::filesystem::path& file);

} // namespace tune
