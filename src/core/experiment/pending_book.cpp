// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/experiment/pending_book.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tune {

void pending_book::open(trial_id trial, std::uint64_t configuration) {
  pending_.emplace(trial, configuration);
  ++open_[configuration];
  ++in_batch_;
}

void pending_book::add(trial_id trial) {
  open(trial, added_ / runs_);
  ++added_;
}

void pending_book::end(trial_id trial) {
  auto found = pending_.find(trial);
  if (found == pending_.end())
    return;
  if (auto left = open_.find(found->second); --left->second == 0)
    open_.erase(left);
  pending_.erase(found);
  if (pending_.empty())
    in_batch_ = added_ % runs_;
}

void pending_book::set_aside(trial_id trial) {
  auto found = pending_.find(trial);
  if (found == pending_.end())
    return;
  auto configuration = found->second;
  end(trial);
  aside_.emplace(trial, configuration);
}

void pending_book::revive(trial_id trial) {
  if (auto found = aside_.extract(trial))
    open(trial, found.mapped());
}

std::uint64_t pending_book::room(std::uint64_t most, bool in_batches) const {
  if (most == 0)
    return std::numeric_limits<std::uint64_t>::max();
  if (in_batches)
    return most * runs_ - std::min(most * runs_, in_batch_);
  auto begun = lacking() > 0 && !open_.contains(added_ / runs_) ? 1u : 0u;
  auto under_way = open_.size() + begun;
  return lacking() + (most - std::min<std::uint64_t>(most, under_way)) * runs_;
}

std::string pending_book::names() const {
  constexpr std::size_t most_named = 5;
  std::string result;
  auto next = pending_.begin();
  for (std::size_t i = 0; i < most_named && next != pending_.end(); ++i, ++next)
    result += (i == 0 ? "" : ", ") + to_text(next->first);
  if (pending_.size() > most_named)
    result += " and " + std::to_string(pending_.size() - most_named) + " more";
  return result;
}

void pending_book::describe(fingerprint& into) const {
  into.add(added_).add(in_batch_);
  for (const auto* trials : {&pending_, &aside_}) {
    into.add(std::uint64_t{trials->size()});
    for (const auto& [trial, configuration] : *trials)
      into.add(trial).add(configuration);
  }
}

} // namespace tune
