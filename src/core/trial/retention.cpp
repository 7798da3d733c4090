// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/retention.hpp"

#include <algorithm>

namespace tune {

bool operator<(const checkpoint_worth& a, const checkpoint_worth& b) {
  if (a.good != b.good)
    return b.good;
  if (a.score != b.score)
    return a.score < b.score; // no score is less than any
  return a.id < b.id;
}

std::vector<checkpoint_id> superfluous(const retention_policy& policy,
                                       std::vector<kept_checkpoint> of_trial) {
  std::sort(of_trial.begin(), of_trial.end(),
            [](const auto& a, const auto& b) { return b.worth < a.worth; });
  std::uint64_t bytes = 0;
  for (const auto& x : of_trial)
    bytes += x.pinned ? x.bytes : 0;
  std::uint64_t count = 0;
  std::vector<checkpoint_id> result;
  for (const auto& x : of_trial) {
    auto fits = policy.keep == 0 || count < policy.keep;
    if (!x.pinned && policy.trial_bytes > 0)
      fits = fits && bytes + x.bytes <= policy.trial_bytes;
    if (!fits && !x.pinned) {
      result.push_back(x.worth.id);
      continue;
    }
    ++count;
    bytes += x.pinned ? 0 : x.bytes;
  }
  return result;
}

} // namespace tune
