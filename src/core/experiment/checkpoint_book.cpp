// SPDX-License-Identifier: BSD-3-Clause
#include "checkpoint_book.hpp"

#include <iterator>
#include <string_view>

namespace tune {

void checkpoint_book::keep(checkpoint_id id, checkpoint_entry what) {
  note_made(id);
  bytes_ += what.bytes;
  by_worth_.insert(worth_of(id, what));
  by_trial_[what.trial].push_back(id);
  all_.emplace(id, std::move(what));
}

void checkpoint_book::keep_in_memory(checkpoint_id id, checkpoint_entry what) {
  note_made(id);
  all_.emplace(id, std::move(what));
}

bool checkpoint_book::note_bad(checkpoint_id id) {
  auto known = all_.find(id);
  if (known == all_.end() || known->second.bad)
    return false;
  auto& x = known->second;
  const auto counts = by_worth_.erase(worth_of(id, x)) > 0;
  x.bad = true;
  if (counts)
    by_worth_.insert(worth_of(id, x));
  return true;
}

void checkpoint_book::doom(checkpoint_id id) {
  all_.at(id).doomed = true;
  take_out(id);
}

void checkpoint_book::take_out(checkpoint_id id) {
  const auto& x = all_.at(id);
  if (!x.node.empty())
    return;
  bytes_ -= x.bytes;
  by_worth_.erase(worth_of(id, x));
  auto own = by_trial_.find(x.trial);
  std::erase(own->second, id);
  if (own->second.empty())
    by_trial_.erase(own);
}

void checkpoint_book::begin_from(trial_id trial, checkpoint_id others) {
  auto& known = origins_[trial];
  std::erase_if(known, [&](checkpoint_id x) { return x == others || !contains(x); });
  known.push_back(others);
}

const checkpoint_entry* checkpoint_book::find(checkpoint_id id) const {
  auto known = all_.find(id);
  return known == all_.end() ? nullptr : &known->second;
}

const std::vector<checkpoint_id>& checkpoint_book::of(trial_id trial) const {
  static const std::vector<checkpoint_id> none;
  auto own = by_trial_.find(trial);
  return own == by_trial_.end() ? none : own->second;
}

std::vector<checkpoint_id> checkpoint_book::origins_of(trial_id trial) const {
  std::vector<checkpoint_id> result;
  if (auto others = origins_.find(trial); others != origins_.end())
    std::copy_if(others->second.begin(), others->second.end(), std::back_inserter(result),
                 [this](checkpoint_id x) { return contains(x); });
  return result;
}

void checkpoint_book::describe(fingerprint& into) const {
  for (const auto& [id, x] : all_) {
    into.add(id)
        .add(x.trial)
        .add(x.iteration)
        .add(std::string_view{x.location})
        .add(std::string_view{x.node})
        .add(std::uint64_t{x.bad})
        .add(std::uint64_t{x.doomed})
        .add(x.until);
    x.marks.describe(into);
  }
  for (const auto& [trial, others] : origins_) {
    into.add(trial);
    for (auto id : others)
      into.add(id);
  }
  into.add(bytes_);
}

} // namespace tune
