// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/archive.hpp"

#include <cmath>
#include <utility>

namespace tune::learning {

namespace {

std::vector<double> missed_by(const observation& what) {
  std::vector<double> result;
  for (auto x : what.constraints)
    result.push_back(std::isnan(x) ? std::numeric_limits<double>::infinity() : std::fmax(x, 0));
  return result;
}

} // namespace

void archive::apply(const searcher_fact& what) {
  std::visit([this](const auto& x) { take(x); }, what.what);
}

void archive::open(trial_id id, const config_ptr& config) {
  auto& trial = open_[id];
  if (trial.config == config)
    return;
  // Read from a record, equal configurations are different objects.
  auto same = trial.config != nullptr && config != nullptr && *trial.config == *config;
  trial.config = config;
  if (same)
    return;
  trial.at = config != nullptr ? space_->encoded(*config) : std::nullopt;
  if (trial.at)
    ++taken_[space_->key(*trial.at)];
}

void archive::take(const suggested_fact& what) {
  heard_.add(what.ask).add(what.first);
  const auto* list = std::get_if<std::vector<suggestion>>(&what.what);
  if (list == nullptr)
    return;
  suggested_ += list->size();
  auto id = what.first;
  for (const auto& x : *list) {
    heard_.add(*x.config);
    open(id, x.config);
    ++id.number;
  }
}

void archive::take(const observation& what) {
  heard_.add(what.trial).add(static_cast<std::uint64_t>(what.how));
  open(what.trial, what.config);
  if (what.how == outcome::running)
    return;
  auto trial = std::move(open_.extract(what.trial).mapped());
  if (!trial.at || what.how == outcome::removed)
    return;
  if (what.how == outcome::lost) {
    release(*trial.at);
    return;
  }
  auto value = what.values.empty() ? inactive : -what.values.front();
  auto known = what.how == outcome::completed && std::isfinite(value);
  result made;
  made.at = std::move(*trial.at);
  made.how = known                          ? ending::finished
             : what.how == outcome::stopped ? ending::stopped
                                            : ending::failed;
  made.value = known ? value : inactive;
  if (known)
    made.missed = missed_by(what);
  add(std::move(made));
}

void archive::release(const cube_point& at) {
  auto found = taken_.find(space_->key(at));
  if (found != taken_.end() && --found->second == 0)
    taken_.erase(found);
}

void archive::add(result what) {
  fingerprint sum;
  sum.add(digest(results_.size())).add(static_cast<std::uint64_t>(what.how)).add(what.value);
  for (auto x : what.at)
    sum.add(x);
  for (auto x : what.missed)
    sum.add(x);
  digests_.push_back(sum.digest());
  results_.push_back(std::move(what));
}

std::vector<cube_point> archive::pending() const {
  std::vector<cube_point> result;
  for (const auto& [id, trial] : open_) {
    if (trial.at)
      result.push_back(*trial.at);
  }
  return result;
}

void archive::describe(fingerprint& into) const {
  into.add(suggested_).add(heard_.digest()).add(digest(results_.size()));
}

} // namespace tune::learning
