// SPDX-License-Identifier: BSD-3-Clause
#include "view/trained_track.hpp"

#include "view/result_track.hpp"

namespace tune::cli {

std::uint64_t trained_track::step_of(const last_report& last, const raw_result& x) {
  const auto goes_on = last.step > 0 && last.attempt == x.attempt;
  if (goes_on)
    return x.iteration > last.iteration ? x.iteration - last.iteration : 1;
  // The first report of an attempt does not say from which iteration the attempt went on.
  if (last.step > 0)
    return last.step;
  const auto is_from_scratch = x.time_total == x.time_this_iter;
  return is_from_scratch && x.iteration > 0 ? x.iteration : 1;
}

void trained_track::read(const raw_result& x) {
  ++reports_;
  time_ += x.time_this_iter;
  if (x.trial.number >= result_track::most_trials) {
    ++iterations_;
    return;
  }
  if (x.trial.number >= trials_.size())
    trials_.resize(x.trial.number + 1);
  auto& last = trials_[x.trial.number];
  const auto step = step_of(last, x);
  iterations_ += step;
  last = {x.attempt, x.iteration, step};
}

} // namespace tune::cli
