// SPDX-License-Identifier: BSD-3-Clause
#include "report/study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::cli {

std::vector<std::size_t> ranked_trials(const study& x) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < x.trials.size(); ++i) {
    if (!std::isnan(x.trials[i].how.score) && !x.trials[i].confirms)
      result.push_back(i);
  }
  std::stable_sort(result.begin(), result.end(), [&](std::size_t a, std::size_t b) {
    return is_better(x.trials[a].how, x.trials[b].how);
  });
  return result;
}

bool never_had_a_number(const study_trial& x) {
  if (!std::isnan(x.how.score))
    return false;
  switch (x.fate) {
    case trial_fate::finished:
      return true;
    case trial_fate::stopped:
    case trial_fate::ended:
    case trial_fate::failed:
      return x.iterations > 0;
    case trial_fate::running:
    case trial_fate::paused:
    case trial_fate::interrupted:
    case trial_fate::pending:
      break;
  }
  return false;
}

double place_in(const study_parameter& range, double number) {
  constexpr auto none = std::numeric_limits<double>::quiet_NaN();
  if (range.what != study_parameter::kind::range || !(range.low < range.high))
    return none;
  if (!range.log)
    return (number - range.low) / (range.high - range.low);
  if (range.low <= 0 || number <= 0)
    return none;
  const auto low = std::log(range.low);
  return (std::log(number) - low) / (std::log(range.high) - low);
}

} // namespace tune::cli
