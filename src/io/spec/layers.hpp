/// The sources of a configuration, and how they are laid over each other. Private to io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/ini_text.hpp"
#include "tune/io/spec/spec.hpp"

#include <map>
#include <string>
#include <vector>

namespace tune {

/// Entries of the environment.
struct environment_layer {
  std::vector<ini_entry> entries;
  /// One per variable that looks like ours and is not.
  std::vector<std::string> warnings;
};

/// Finds the variables that mean keys. Empty ones count as not set.
/// @param file The file's entries: names in capitals mean its keys of the same letters.
[[nodiscard]] environment_layer
read_environment(const std::map<std::string, std::string>& variables,
                 const std::vector<ini_entry>& file);

/// Overrides as entries; unknown sections and doubled keys are faults. Keys are not checked here.
[[nodiscard]] std::vector<ini_entry> read_overrides(const std::vector<named_text>& overrides,
                                                    config_faults& faults);

/// One entry per key: the command line's, else the environment's, else the file's. All must be
/// known keys. In the order of the file, then of the environment, then of the command line.
/// @errors `ec::internal`: the library refused what was checked before.
[[nodiscard]] expected<std::vector<ini_entry>>
merge_layers(const std::vector<ini_entry>& file, const std::vector<ini_entry>& environment,
             const std::vector<ini_entry>& command_line);

} // namespace tune
