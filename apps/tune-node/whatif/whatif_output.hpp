/// Writes the comparison of a recorded experiment with other rules.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "output/format.hpp"
#include "whatif/alternatives.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace tune::cli {

struct whatif_comparison {
  std::string experiment;
  objective by;
  std::shared_ptr<const recorded_run> ran;
  /// Trials of the record that were stopped, so that the rest of their curves is unknown.
  std::uint64_t cut_short = 0;
  std::vector<simulated_node> nodes;
  /// The first one: the same rules again.
  std::vector<alternative> all;
};

/// How much worse a best report is than the best of the record. [>= 0; nothing: there is none, or
/// it misses constraints that the other one keeps]
[[nodiscard]] std::optional<double> regret_of(const std::optional<recorded_best>& x,
                                              const std::optional<recorded_best>& known);

void write_comparison(const whatif_comparison& x, output_format format, const table_look& look,
                      std::ostream& out);

} // namespace tune::cli
