/// Checks, before any run, that whatever a run opens beside its INI file is there and readable.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/fault.hpp"
#include "tune/io/spec/load.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tune {

/// Checks the experiments of `points_from` and `learn_from`, the places of the log file and of the
/// experiment, the table, and, where workers may join, the certificates and the patterns of
/// `files`. Reads as much as a run would; creates, changes and opens nothing else.
///
/// @param caller Directory that paths of the run are relative to.
/// @param notes  Receives a line for each thing that a run would leave out.
/// @returns everything for which a run would be refused or end at its start; in the order of the
///         keys.
[[nodiscard]] std::vector<config_fault> faults_outside(const loaded_spec& what,
                                                       const std::filesystem::path& caller,
                                                       std::vector<std::string>& notes);

} // namespace tune
