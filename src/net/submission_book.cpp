// SPDX-License-Identifier: BSD-3-Clause
#include "submission_book.hpp"

#include <algorithm>

namespace tune {

bool submission_book::all_over() const {
  return std::all_of(all_.begin(), all_.end(), [](const auto& x) { return x.second.is_over; });
}

std::optional<submission_book::key> submission_book::under_way(const std::string& name) const {
  auto known = std::find_if(all_.begin(), all_.end(), [&](const auto& x) {
    return x.second.words.experiment == name && !x.second.is_over;
  });
  return known == all_.end() ? std::nullopt : std::optional{known->first};
}

expected<void> submission_book::may_begin(const submission_message& words) const {
  // A free number is determined later, where the directories are.
  if (const auto other = words.numbered ? std::nullopt : under_way(words.experiment))
    return error{ec::refused,
                 "an experiment named " + words.experiment + std::string{runs_already} + ", from "
                     + with_subject(all_.at(*other).words.from, all_.at(*other).identity)
                     + ": attach to it, if it is yours, or"
                       " choose another name by --experiment.name auto"};
  return {};
}

expected<submitted_job*> submission_book::to_follow(const std::string& name,
                                                    const std::string& identity) {
  const auto known = under_way(name);
  if (!known)
    return error{ec::unknown_name, "no experiment named " + name
                                       + " runs at the head; what has ended is in the head's"
                                         " storage"};
  auto& x = all_.at(*known);
  if (identity != x.identity)
    return error{ec::refused, name + " was submitted by " + with_subject(x.words.from, x.identity)
                                  + " with another certificate: nobody else may follow it"};
  return &x;
}

std::string submission_book::owner_of(const std::string& name) const {
  const auto known = under_way(name);
  if (!known)
    return {};
  const auto& x = all_.at(*known);
  return with_subject(x.words.from, x.identity);
}

submitted_job* submission_book::asked_by(key which, const follower_actor& who) {
  auto* known = find(which);
  if (known == nullptr || !known->is_taken)
    return nullptr;
  const auto follows = std::any_of(known->listeners.begin(), known->listeners.end(),
                                   [&](const listener& x) { return x.who == who; });
  return follows ? known : nullptr;
}

submission_book::ending submission_book::end(key which, bool has_rows) {
  auto& x = all_.at(which);
  x.is_over = true;
  for (auto& each : x.listeners) {
    if (!each.attached)
      each.wants_rows = has_rows;
  }
  ending result{x.listeners, {}};
  std::erase_if(x.listeners, [](const listener& each) { return !each.wants_rows; });
  result.done = take_if_done(which);
  return result;
}

std::optional<submitted_job> submission_book::has_rows(key which, const follower_actor& who) {
  auto* known = find(which);
  if (known == nullptr || !known->is_over)
    return std::nullopt;
  std::erase_if(known->listeners, [&](const listener& x) { return x.who == who; });
  return take_if_done(which);
}

std::vector<submitted_job> submission_book::forget(const follower_actor& who) {
  std::vector<key> followed;
  for (auto& [which, x] : all_) {
    std::erase_if(x.listeners, [&](const listener& each) { return each.who == who; });
    followed.push_back(which);
  }
  std::vector<submitted_job> result;
  for (auto which : followed) {
    if (auto done = take_if_done(which))
      result.push_back(std::move(*done));
  }
  return result;
}

std::optional<submitted_job> submission_book::take_if_done(key which) {
  const auto& x = all_.at(which);
  if (!x.is_over || !x.listeners.empty())
    return std::nullopt;
  return take(which);
}

} // namespace tune
