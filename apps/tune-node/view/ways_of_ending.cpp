// SPDX-License-Identifier: BSD-3-Clause
#include "view/ways_of_ending.hpp"

#include "tune/core/trial/end_class.hpp"

namespace tune::cli {

expected<ways_of_ending> ways_of_ending::read(store_reader& from) {
  constexpr std::size_t at_once = 100'000;
  ways_of_ending result;
  for (attempt_id last;;) {
    auto count = from.scan_attempts(last, at_once, [&](const raw_attempt& x) {
      last = x.attempt;
      result.cut_off_[x.trial] = x.end_class != to_text(end_class::finished);
    });
    if (!count)
      return count.error();
    if (*count < at_once)
      break;
  }
  auto done = from.scan_decisions([&](const raw_decision& x) {
    if (x.action == "stop")
      result.cut_off_[x.trial] = false;
  });
  return done ? expected<ways_of_ending>{std::move(result)} : done.error();
}

bool ways_of_ending::is_cut_off(trial_id trial) const {
  const auto found = cut_off_.find(trial);
  return found == cut_off_.end() || found->second;
}

expected<bool> is_cut_off(store_reader& from, trial_id trial) {
  auto stops = from.decisions_after({0, trial, "stop", 1});
  if (!stops)
    return stops.error();
  auto attempts = from.attempts(trial);
  if (!attempts)
    return attempts.error();
  return stops->empty() && (attempts->empty() || attempts->back().how != end_class::finished);
}

} // namespace tune::cli
