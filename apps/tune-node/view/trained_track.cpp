// SPDX-License-Identifier: BSD-3-Clause
#include "view/trained_track.hpp"

#include "view/result_track.hpp"

#include <utility>

namespace tune::cli {

namespace {

bool is_from_scratch(const raw_result& first) {
  return first.time_total == first.time_this_iter;
}

} // namespace

std::uint64_t trained_track::step_of(const standing& last, const raw_result& x) {
  const auto goes_on = last.step > 0 && last.attempt == x.attempt;
  if (goes_on)
    return x.iteration > last.iteration ? x.iteration - last.iteration : 1;
  // The first report of an attempt does not say from which iteration the attempt went on.
  if (last.step > 0)
    return last.step;
  return is_from_scratch(x) && x.iteration > 0 ? x.iteration : 1;
}

/// Counts what the trial has left behind, if its new attempt is of another lineage.
void trained_track::leave_behind(standing& own, attempt_id next, const origin_source& origin_of) {
  const auto is_first = own.step == 0;
  const auto now = origin_of(next);
  if (!now)
    return;
  has_clones_ = has_clones_ || now->donor;
  if (own.lineage == 0 && !is_first) {
    const auto before = origin_of(own.attempt);
    own.lineage = before ? before->lineage : now->lineage;
  }
  const auto is_other = now->lineage != std::exchange(own.lineage, now->lineage);
  // A trial that could not take over another's checkpoint has another lineage, and goes on as
  // itself.
  if (is_first || !is_other || (now->restored && !now->donor))
    return;
  (now->donor ? given_up_ : done_again_) += std::exchange(own.fresh, std::chrono::nanoseconds{0});
  own.farthest = 0;
}

void trained_track::read(const raw_result& x, const origin_source& origin_of) {
  ++reports_;
  time_ += x.time_this_iter;
  if (x.trial.number >= result_track::most_trials) {
    ++iterations_;
    return;
  }
  if (x.trial.number >= trials_.size())
    trials_.resize(x.trial.number + 1);
  auto& own = trials_[x.trial.number];
  if (own.step == 0 ? !is_from_scratch(x) : own.attempt != x.attempt)
    leave_behind(own, x.attempt, origin_of);
  const auto is_again = x.iteration <= own.farthest;
  (is_again ? done_again_ : own.fresh) += x.time_this_iter;
  if (!is_again)
    own.farthest = x.iteration;
  own.step = step_of(own, x);
  iterations_ += own.step;
  own.attempt = x.attempt;
  own.iteration = x.iteration;
}

void trained_track::begin(trial_id trial, attempt_id attempt, const origin_source& origin_of) {
  if (trial.number >= trials_.size())
    return;
  auto& own = trials_[trial.number];
  if (own.step > 0 && own.attempt != attempt)
    leave_behind(own, attempt, origin_of);
}

trained_track::origin_source origins_in(store_reader& from) {
  return [&from](attempt_id which) {
    auto found = from.origin_of(which);
    return found ? *found : std::optional<attempt_origin>{};
  };
}

} // namespace tune::cli
