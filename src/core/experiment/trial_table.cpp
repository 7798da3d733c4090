// SPDX-License-Identifier: BSD-3-Clause
#include "trial_table.hpp"

#include <cassert>

namespace tune {

live_trial& trial_table::add() {
  const auto id = next();
  entries_.emplace_back();
  return revive(id);
}

live_trial& trial_table::revive(trial_id trial) {
  assert(live(trial) == nullptr);
  auto& made = entries_[trial.number].live;
  made = std::make_unique<live_trial>();
  made->id = trial;
  live_.insert(trial);
  return *made;
}

void trial_table::end(trial_id trial) {
  live_.erase(trial);
  entries_[trial.number].live.reset();
}

} // namespace tune
