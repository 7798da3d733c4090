/// Which attempts may still write where all attempts of their trial write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace tune {

/// Attempts of one experiment, as its head counts on them. One that was given up, since its worker
/// was lost for instance, may go on there and send what it wrote. So may one that an earlier head
/// gave up: it is known by a later attempt of its trial.
class counted_attempts {
public:
  /// Nothing of the attempt counts from now on.
  void give_up(trial_id trial, attempt_id attempt) { given_up_.emplace(trial, attempt); }
  /// The attempt has written: nothing of earlier ones of the trial counts from now on.
  void note(trial_id trial, attempt_id attempt) {
    auto& latest = latest_[trial];
    if (latest < attempt)
      latest = attempt;
  }

  /// @returns why nothing of the attempt counts; empty: it counts.
  [[nodiscard]] std::string_view why_not(trial_id trial, attempt_id attempt) const {
    if (given_up_.contains({trial, attempt}))
      return "the head has given the attempt up";
    const auto latest = latest_.find(trial);
    if (latest != latest_.end() && attempt < latest->second)
      return "a later attempt of the trial has written since";
    return {};
  }

private:
  std::set<std::pair<trial_id, attempt_id>> given_up_;
  std::map<trial_id, attempt_id> latest_;
};

} // namespace tune
