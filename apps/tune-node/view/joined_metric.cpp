// SPDX-License-Identifier: BSD-3-Clause
#include "view/joined_metric.hpp"

#include "view/fields.hpp"
#include "view/result_track.hpp"

#include <algorithm>
#include <cmath>

namespace tune::cli {

std::size_t joined_metric::tail() const {
  using enum column_name::kind;
  return what_.what == last_5 ? 5 : what_.what == last_10 ? 10 : 0;
}

void joined_metric::read(const raw_result& x) {
  const auto number = metric_in(x, what_.name);
  if (!number || std::isnan(*number) || x.trial.number >= result_track::most_trials)
    return;
  if (x.trial.number >= tallies_.size()) {
    tallies_.resize(x.trial.number + 1);
    tails_.resize(tail() > 0 ? tallies_.size() : 0);
  }
  using enum column_name::kind;
  auto& own = tallies_[x.trial.number];
  if (tail() > 0)
    tails_[x.trial.number][own.count % tail()] = *number;
  else if (own.count == 0)
    own.value = *number;
  else
    own.value = what_.what == least  ? std::min(own.value, *number)
                : what_.what == most ? std::max(own.value, *number)
                                     : own.value + *number;
  ++own.count;
}

double joined_metric::of(trial_id trial) const {
  if (trial.number >= tallies_.size() || tallies_[trial.number].count == 0)
    return no_number;
  const auto& own = tallies_[trial.number];
  using enum column_name::kind;
  if (what_.what == least || what_.what == most)
    return own.value;
  if (tail() == 0)
    return own.value / static_cast<double>(own.count);
  // From the oldest on, in the order in which the command adds them up.
  const auto used = std::min<std::uint64_t>(own.count, tail());
  double sum = 0;
  for (auto i = own.count - used; i < own.count; ++i)
    sum += tails_[trial.number][i % tail()];
  return sum / static_cast<double>(used);
}

} // namespace tune::cli
