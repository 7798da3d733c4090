// SPDX-License-Identifier: BSD-3-Clause
#include "deadline_book.hpp"

#include <algorithm>

namespace tune {

void deadline_book::drop(std::optional<instant>& slot, trial_id trial, kind what) {
  if (!slot)
    return;
  in_order_.erase({*slot, trial, what});
  --counts_[index(what)];
  slot.reset();
}

void deadline_book::set(trial_id trial, kind what, instant when) {
  auto& slot = by_trial_[trial][index(what)];
  drop(slot, trial, what);
  slot = when;
  ++counts_[index(what)];
  in_order_.emplace(when, trial, what);
}

void deadline_book::clear(trial_id trial, kind what) {
  auto known = by_trial_.find(trial);
  if (known == by_trial_.end())
    return;
  drop(known->second[index(what)], trial, what);
  if (known->second == of_one_trial{})
    by_trial_.erase(known);
}

void deadline_book::clear(trial_id trial) {
  auto known = by_trial_.find(trial);
  if (known == by_trial_.end())
    return;
  for (std::size_t i = 0; i < kinds; ++i)
    drop(known->second[i], trial, static_cast<kind>(i));
  by_trial_.erase(known);
}

bool deadline_book::take_due(trial_id trial, kind what, instant now) {
  auto when = of(trial, what);
  if (!when || *when > now)
    return false;
  clear(trial, what);
  return true;
}

std::optional<instant> deadline_book::of(trial_id trial, kind what) const {
  auto known = by_trial_.find(trial);
  return known == by_trial_.end() ? std::nullopt : known->second[index(what)];
}

std::optional<instant> deadline_book::next() const {
  if (in_order_.empty())
    return std::nullopt;
  return std::get<instant>(*in_order_.begin());
}

std::vector<on::ticked> deadline_book::due(instant now) const {
  std::vector<on::ticked> result;
  for (const auto& [when, trial, what] : in_order_) {
    if (when > now)
      break;
    result.push_back({what, trial});
  }
  return result;
}

void deadline_book::describe(fingerprint& into, trial_id trial) const {
  auto known = by_trial_.find(trial);
  const auto& all = known == by_trial_.end() ? of_one_trial{} : known->second;
  for (const auto& x : all)
    into.add(static_cast<std::uint64_t>(x.value_or(instant{-1}).count()));
}

} // namespace tune
