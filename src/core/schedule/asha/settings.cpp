// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/asha/settings.hpp"

#include "tune/core/rng.hpp"
#include "tune/core/schedule/asha/ladder.hpp"
#include "tune/core/schedule/wording.hpp"

namespace tune::asha {

namespace {

/// More rungs than make sense: the reduction factor is too close to 1.
constexpr std::size_t most_rungs = 1000;

/// Blames the option that the user wrote: usually the other one has its default.
std::string no_room(const settings& what) {
  auto max_t = "max_t = " + to_text(plain(what.max_t));
  auto grace_period = "grace_period = " + to_text(plain(what.grace_period));
  return what.max_t == settings{}.max_t ? grace_period + ": must be at most " + max_t
                                        : max_t + ": must be at least " + grace_period;
}

} // namespace

expected<void> validate(const settings& what) {
  if (what.max_t < what.grace_period)
    return error{ec::bad_option, no_room(what)};
  auto rungs = milestones(what.grace_period, what.reduction_factor, what.max_t, 0, most_rungs + 1);
  if (rungs.size() > most_rungs)
    return error{ec::bad_option, "reduction_factor = " + to_text(value{what.reduction_factor})
                                     + ": too near to 1, there would be more than "
                                     + std::to_string(most_rungs) + " rungs"};
  return {};
}

bracket_plan::bracket_plan(const settings& what, std::uint64_t seed) : seed_{seed} {
  for (std::uint32_t s = 0; s < what.brackets; ++s) {
    milestones_.push_back(
        asha::milestones(what.grace_period, what.reduction_factor, what.max_t, s, most_rungs));
    // e^(rungs - most rungs), computed by products: `std::exp` may differ between machines.
    constexpr double one_rung_less = 0.36787944117144233;
    auto weight = 1.0;
    for (auto i = milestones_.back().size(); i < milestones_.front().size(); ++i)
      weight *= one_rung_less;
    weights_.push_back(weight);
  }
}

std::uint32_t bracket_plan::bracket_of(trial_id trial) const {
  auto sum = 0.0;
  for (auto x : weights_)
    sum += x;
  auto left = rng{seed_, "asha.bracket", trial.number}.unit() * sum;
  std::uint32_t result = 0;
  while (result + 1 < weights_.size() && left >= weights_[result])
    left -= weights_[result++];
  return result;
}

} // namespace tune::asha
