/// `tune-node compare DIR DIR...`: how experiments differ, and their results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "inspect/experiments.hpp"
#include "output/format.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace tune::cli {

/// A key, parameter or file in which experiments differ, with the value of each; empty: not given.
struct difference {
  /// "experiment.seed", "space.lr", "code.train.py".
  std::string key;
  std::vector<std::string> values;
};

/// The differences, in the order of the table of keys. Names and directories of experiments do not
/// count.
[[nodiscard]] std::vector<difference> differences_of(const std::vector<experiment_facts>& all);

/// Carries out `tune-node compare`. Reads only.
/// @errors as `facts_of`, for the first experiment that cannot be read.
[[nodiscard]] expected<void> compare_experiments(const compare_request& what, output_format format,
                                                 const table_look& look, std::ostream& out);

} // namespace tune::cli
