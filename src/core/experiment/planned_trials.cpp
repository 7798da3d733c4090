// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/planned_trials.hpp"

#include <algorithm>

namespace tune {

std::optional<std::uint64_t> planned_trials(std::uint64_t wanted, const repeat_rule& repeats,
                                            const made_trials& made, bool are_all) {
  if (are_all)
    return made.all();
  if (wanted == 0)
    return std::nullopt;
  const auto samples = std::max(wanted, made.samples);
  const auto runs = std::max<std::uint64_t>(repeats.runs, 1);
  const auto configurations = samples / runs + (made.added + runs - 1) / runs;
  const auto confirming
      = std::min<std::uint64_t>(repeats.confirm, configurations) * repeats.confirm_runs;
  return samples + made.added + std::max(made.confirming, confirming);
}

} // namespace tune
