// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/hyperband/bands.hpp"

#include "tune/core/schedule/wording.hpp"

#include <algorithm>
#include <iterator>

namespace tune::hyperband {

bands::bands(const settings& what, band_order order)
    : settings_{what}, order_{order}, plans_{plans_of(what)} {
  if (order_.largest_first)
    std::reverse(plans_.begin(), plans_.end());
}

seat bands::join(trial_id trial) {
  if (opened_ == 0 || at(opened_ - 1).is_full()) {
    brackets_.emplace(opened_, bracket{plan_of(opened_), settings_});
    ++opened_;
  }
  return {opened_ - 1, at(opened_ - 1).join(trial)};
}

bool bands::is_open(std::uint64_t number) const {
  return number + 1 == opened_ && !at(number).is_full();
}

std::uint64_t bands::band_of(std::uint64_t number) const {
  return number / plans_.size();
}

const bracket_plan& bands::plan_of(std::uint64_t number) const {
  return plans_[number % plans_.size()];
}

void bands::drop_if_over(std::uint64_t number) {
  if (number + 1 != opened_ && at(number).is_empty())
    brackets_.erase(number);
}

std::optional<std::uint64_t> bands::first_that_waits() const {
  for (const auto& [number, x] : brackets_) {
    if (x.all_wait())
      return number;
  }
  return std::nullopt;
}

void bands::set_startable(const seat& where, trial_id trial, bool to) {
  if (to) {
    startable_[where.bracket].emplace(where.position, trial);
    return;
  }
  auto i = startable_.find(where.bracket);
  if (i == startable_.end())
    return;
  i->second.erase(where.position);
  if (i->second.empty())
    startable_.erase(i);
}

std::vector<trial_id> bands::first(std::uint32_t count) const {
  std::vector<trial_id> result;
  for (auto i = startable_.begin(); i != startable_.end() && result.size() < count;) {
    auto band = band_from(i);
    std::advance(i, static_cast<std::ptrdiff_t>(band.size()));
    if (order_.least_complete_first)
      std::stable_sort(band.begin(), band.end(), [this](open_line x, open_line y) {
        return at(x->first).trained_share() < at(y->first).trained_share();
      });
    for (auto from : band) {
      for (auto x = from->second.begin(); x != from->second.end() && result.size() < count; ++x)
        result.push_back(x->second);
    }
  }
  return result;
}

/// The brackets in the same band as `begin`.
std::vector<bands::open_line> bands::band_from(open_line begin) const {
  std::vector<open_line> result;
  for (auto i = begin; i != startable_.end() && band_of(i->first) == band_of(begin->first); ++i)
    result.push_back(i);
  return result;
}

std::string bands::outline() const {
  constexpr std::size_t most = 8;
  std::string result;
  std::size_t shown = 0;
  std::size_t left = 0;
  for (const auto& [number, x] : brackets_) {
    if (x.is_empty())
      continue;
    if (shown == most) {
      ++left;
      continue;
    }
    ++shown;
    result += (result.empty() ? "" : "; ") + std::string{"band "} + std::to_string(band_of(number))
              + " bracket " + std::to_string(plan_of(number).halvings) + ": "
              + std::to_string(x.size()) + (x.size() == 1 ? " trial" : " trials") + " to "
              + to_text(tune::plain(x.milestone())) + ", " + std::to_string(x.size() - x.below())
              + " there";
  }
  if (left > 0)
    result += "; and " + std::to_string(left) + " more";
  return result.empty() ? "no bracket holds a trial" : result;
}

void bands::describe(fingerprint& into) const {
  into.add(opened_).add(std::uint64_t{brackets_.size()});
  for (const auto& [number, x] : brackets_) {
    into.add(number);
    x.describe(into);
  }
  into.add(std::uint64_t{startable_.size()});
  for (const auto& [number, trials] : startable_) {
    into.add(number).add(std::uint64_t{trials.size()});
    for (const auto& [position, trial] : trials)
      into.add(position).add(trial);
  }
}

} // namespace tune::hyperband
