// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/hyperband/bracket.hpp"

#include "../whole_if_nearly.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tune::hyperband {

namespace {

double next_milestone(double now, double eta, double max_t) {
  return std::floor(std::min(whole_if_nearly(now * eta), max_t));
}

std::uint64_t share_of(std::uint64_t trials, double eta) {
  auto share = std::ceil(whole_if_nearly(static_cast<double>(trials) / eta));
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
}

/// Total training time of a bracket: each round takes the survivors to the next milestone.
double work_of(bracket_plan plan, const settings& what) {
  auto result = 0.0;
  auto from = 0.0;
  for (std::uint32_t i = 0; i <= plan.halvings; ++i) {
    result += static_cast<double>(plan.trials) * (plan.milestone - from);
    from = plan.milestone;
    plan.trials = share_of(plan.trials, what.reduction_factor);
    plan.milestone = next_milestone(plan.milestone, what.reduction_factor, what.max_t);
  }
  return result;
}

/// Compares scores; NaN is the worst.
bool is_worse(double x, double y) {
  return x < y || (std::isnan(x) && !std::isnan(y));
}

} // namespace

std::uint32_t places_of(const settings& what, std::uint32_t most) {
  // k is the logarithm, rounded such that η^(k + 1/2) is not exceeded.
  auto eta = what.reduction_factor;
  auto square = what.max_t * what.max_t;
  auto power = 1.0;
  std::uint32_t k = 0;
  for (; k + 1 < most; ++k) {
    auto middle = power * eta;
    auto in_the_middle = std::abs(square - middle) <= rounding_tolerance * middle;
    if (in_the_middle ? k % 2 == 0 : square < middle)
      break;
    power = middle * eta;
  }
  return k + 1;
}

std::vector<bracket_plan> plans_of(const settings& what) {
  constexpr std::uint32_t most = 1000;
  std::vector<bracket_plan> result;
  auto places = places_of(what, most);
  auto power = 1.0;
  for (std::uint32_t s = 0; s < places; ++s) {
    bracket_plan plan;
    plan.halvings = s;
    plan.milestone = std::floor(whole_if_nearly(what.max_t / power));
    if (plan.milestone < 1)
      break;
    auto trials = static_cast<double>(places) / static_cast<double>(s + 1) * power;
    plan.trials = static_cast<std::uint64_t>(std::ceil(whole_if_nearly(trials)));
    plan.work = work_of(plan, what);
    result.push_back(plan);
    power = whole_if_nearly(power * what.reduction_factor);
  }
  return result;
}

bracket::bracket(const bracket_plan& plan, const settings& what)
    : eta_{what.reduction_factor}
    , max_t_{what.max_t}
    , stops_last_{what.stop_last_trials}
    , work_{plan.work}
    , halvings_{plan.halvings}
    , trials_{plan.trials}
    , milestone_{plan.milestone} {}

std::uint64_t bracket::join(trial_id trial) {
  seats_.emplace(next_position_, seat{trial});
  ++below_;
  return next_position_++;
}

void bracket::leave(std::uint64_t position) {
  auto i = seats_.find(position);
  below_ -= i->second.time < milestone_ ? 1 : 0;
  seats_.erase(i);
}

void bracket::report(std::uint64_t position, double time, double score) {
  auto& x = seats_.at(position);
  if (x.time < milestone_) {
    --below_;
    x.arrived = time;
    x.result = score;
  }
  progress_ += time - x.time;
  x.time = time;
  x.score = score;
  below_ += x.time < milestone_ ? 1 : 0;
}

bool bracket::may_run(std::uint64_t position) const {
  return runs_on() || seats_.at(position).time < milestone_;
}

bool bracket::all_wait() const {
  return !runs_on() && below_ == 0 && !seats_.empty();
}

double bracket::trained_share() const {
  auto result = progress_ / work_;
  // NaN if the times were too large.
  return result < 1 ? result : 1;
}

round_result bracket::halve() {
  round_result result;
  result.milestone = milestone_;
  result.last = halvings_ == 0;
  auto all = ranked();
  std::uint64_t stay = 0;
  if (!result.last) {
    --halvings_;
    trials_ = share_of(trials_, eta_);
    milestone_ = next_milestone(milestone_, eta_, max_t_);
    stay = std::min<std::uint64_t>(trials_, all.size());
  }
  result.next = milestone_;
  auto first_kept = all.end() - static_cast<std::ptrdiff_t>(stay);
  result.stopped.assign(all.begin(), first_kept);
  result.kept.assign(first_kept, all.end());
  keep(result.kept);
  return result;
}

std::vector<round_result::place> bracket::ranked() const {
  std::vector<round_result::place> result;
  result.reserve(seats_.size());
  for (const auto& [position, x] : seats_)
    result.push_back({x.trial, position, x.arrived, x.result, 0});
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& x, const auto& y) { return is_worse(x.score, y.score); });
  for (auto rank = result.size(); auto& x : result)
    x.rank = rank--;
  return result;
}

void bracket::keep(const std::vector<round_result::place>& kept) {
  std::map<std::uint64_t, seat> left;
  below_ = 0;
  for (const auto& x : kept) {
    auto kept_seat = seats_.at(x.position);
    // Reports since then may have reached the next milestone, too.
    kept_seat.arrived = kept_seat.time;
    kept_seat.result = kept_seat.score;
    below_ += kept_seat.time < milestone_ ? 1 : 0;
    left.emplace(x.position, kept_seat);
  }
  seats_ = std::move(left);
}

void bracket::describe(fingerprint& into) const {
  into.add(std::uint64_t{halvings_}).add(trials_).add(milestone_).add(progress_);
  into.add(below_).add(next_position_).add(std::uint64_t{seats_.size()});
  for (const auto& [position, x] : seats_)
    into.add(position).add(x.trial).add(x.time).add(x.score).add(x.arrived).add(x.result);
}

} // namespace tune::hyperband
