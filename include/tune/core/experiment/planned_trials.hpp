/// The number of trials that an experiment will have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/run_book.hpp"

#include <cstdint>
#include <optional>

namespace tune {

/// Trials that an experiment has, by what made them. Those that were withdrawn before they began
/// are not among them.
struct made_trials {
  /// Samples of the search, all runs of each configuration.
  std::uint64_t samples = 0;
  /// Trials that clients added.
  std::uint64_t added = 0;
  /// Trials that confirm the best configurations.
  std::uint64_t confirming = 0;

  [[nodiscard]] std::uint64_t all() const { return samples + added + confirming; }
};

/// The number of trials there will be: the samples that are wanted, what clients have added, and
/// the runs that confirm the best. It grows with each further trial that a client adds. Runs that
/// confirm are counted for as many configurations as the rule says, also where fewer may turn out
/// to have a result.
/// @param wanted   Samples that the search is to make in all, all runs of each configuration;
///                 0: unknown.
/// @param are_all  Whether the search has no more: all trials are among `made`.
/// @returns nothing where it is unknown.
[[nodiscard]] std::optional<std::uint64_t> planned_trials(std::uint64_t wanted,
                                                          const repeat_rule& repeats,
                                                          const made_trials& made, bool are_all);

/// The number of trials that come of a configuration which a client adds.
/// @param has_number Whether the client gives the run its number.
[[nodiscard]] inline std::uint64_t runs_of_added(const repeat_rule& repeats, bool has_number) {
  return repeats.is_on() && !has_number ? repeats.runs : 1;
}

} // namespace tune
