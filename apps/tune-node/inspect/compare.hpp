/// `tune-node compare DIR DIR...`: what differs between experiments, and what they came to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "inspect/experiments.hpp"
#include "output/format.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace tune::cli {

/// A key, parameter or file of which experiments differ, and what each has; empty: not given.
struct difference {
  /// "experiment.seed", "space.lr", "code.train.py".
  std::string key;
  std::vector<std::string> values;
};

/// In the order of the table of keys; names and places of experiments are none.
[[nodiscard]] std::vector<difference> differences_of(const std::vector<experiment_facts>& all);

/// Carries out `tune-node compare`. Reads only.
/// @errors as `facts_of`, of the first that cannot be read.
[[nodiscard]] expected<void> compare_experiments(const compare_request& what, output_format format,
                                                 const table_look& look, std::ostream& out);

} // namespace tune::cli
