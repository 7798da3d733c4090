/// Reads and merges the sources of a configuration. Private to io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/ini_text.hpp"
#include "tune/io/spec/load.hpp"
#include "tune/io/spec/spec.hpp"

#include <map>
#include <string>
#include <vector>

namespace tune {

/// Entries from the environment.
struct environment_layer {
  std::vector<ini_entry> entries;
  /// One for each variable with the runtime's prefix that matches no key.
  std::vector<std::string> warnings;
};

/// Finds the variables that set keys. Empty ones count as not set.
/// @param file The file's entries: upper-case names match its keys regardless of case.
[[nodiscard]] environment_layer
read_environment(const std::map<std::string, std::string>& variables,
                 const std::vector<ini_entry>& file);

/// Overrides as entries; unknown sections and doubled keys are faults. Keys are not checked here.
[[nodiscard]] std::vector<ini_entry> read_overrides(const load_request& from,
                                                    config_faults& faults);

/// One entry per key: the command line's, else the environment's, else the file's. All must be
/// known keys. In the order of the file, then of the environment, then of the command line.
/// @errors `ec::internal` if the library refuses an entry that was already checked.
[[nodiscard]] expected<std::vector<ini_entry>>
merge_layers(const std::vector<ini_entry>& file, const std::vector<ini_entry>& environment,
             const std::vector<ini_entry>& command_line);

} // namespace tune
