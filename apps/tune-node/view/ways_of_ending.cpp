// SPDX-License-Identifier: BSD-3-Clause
#include "view/ways_of_ending.hpp"

#include "tune/core/trial/end_class.hpp"

namespace tune::cli {

namespace {

/// Whether an attempt had begun before its trial was to run again. What is placed at once begins at
/// the same moment.
bool is_outdated(instant began, const last_retry* again) {
  return again != nullptr && began < again->at;
}

} // namespace

expected<ways_of_ending> ways_of_ending::read(store_reader& from, const retry_map& again) {
  constexpr std::size_t at_once = 100'000;
  ways_of_ending result;
  for (attempt_id last;;) {
    auto count = from.scan_attempts(last, at_once, [&](const raw_attempt& x) {
      last = x.attempt;
      result.cut_off_[x.trial] = x.end_class != to_text(end_class::finished)
                                 || is_outdated(x.began, find_retry(again, x.trial));
    });
    if (!count)
      return count.error();
    if (*count < at_once)
      break;
  }
  auto done = from.scan_decisions([&](const raw_decision& x) {
    const auto* retry = find_retry(again, x.trial);
    if (x.action == "stop" && (retry == nullptr || x.seq > retry->seq))
      result.cut_off_[x.trial] = false;
  });
  return done ? expected<ways_of_ending>{std::move(result)} : done.error();
}

bool ways_of_ending::is_cut_off(trial_id trial) const {
  const auto found = cut_off_.find(trial);
  return found == cut_off_.end() || found->second;
}

expected<bool> is_cut_off(store_reader& from, trial_id trial, const last_retry* again) {
  auto stops = from.decisions_after({again == nullptr ? 0 : again->seq, trial, "stop", 1});
  if (!stops)
    return stops.error();
  auto attempts = from.attempts(trial);
  if (!attempts)
    return attempts.error();
  return stops->empty()
         && (attempts->empty() || attempts->back().how != end_class::finished
             || is_outdated(attempts->back().began, again));
}

} // namespace tune::cli
