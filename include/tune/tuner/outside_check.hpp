/// Whether what a run opens beside its INI file is there and can be read, before any run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/fault.hpp"
#include "tune/io/spec/load.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// Looks at the experiments of `points_from` and `learn_from`, the place of the log file and of the
/// experiment, the table, and where workers may join the certificates and the patterns of `files`.
/// Reads, as far as a run would; makes, changes and opens nothing else.
///
/// @param caller What paths of the run stand against.
/// @param notes  Told, a line each, of what a run would leave out.
/// @returns what a run would be refused for, or end by at its start; in the order of the keys.
[[nodiscard]] std::vector<config_fault> faults_outside(const loaded_spec& what,
                                                       const std::filesystem::path& caller,
                                                       std::vector<std::string>& notes);

} // namespace tune
