// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/search/learner/archive.hpp"

#include <algorithm>
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

bool is_finite(const std::vector<double>& values) {
  return !values.empty()
         && std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

} // namespace

void archive::apply(const searcher_fact& what) {
  if (courses_)
    courses_->apply(what);
  std::visit([this](const auto& x) { take(x); }, what.what);
}

const std::map<trial_id, fidelity::course>& archive::courses() const {
  static const std::map<trial_id, fidelity::course> none;
  return courses_ ? courses_->courses() : none;
}

void archive::open(trial_id id, const config_ptr& config) {
  auto& trial = open_[id];
  if (trial.config == config)
    return;
  // In a record, equal configurations are different objects.
  auto same = trial.config != nullptr && config != nullptr && *trial.config == *config;
  trial.config = config;
  if (same)
    return;
  auto at = config != nullptr ? space_->encoded(*config) : std::nullopt;
  trial.at = at ? std::make_shared<const cube_point>(std::move(*at)) : nullptr;
  if (trial.at)
    ++taken_[space_->key(*trial.at)];
}

void archive::take(const suggested_fact& what) {
  heard_.add(what.ask).add(what.first);
  const auto* list = std::get_if<std::vector<suggestion>>(&what.what);
  if (list == nullptr)
    return;
  auto id = what.first;
  for (const auto& x : *list) {
    heard_.add(*x.config);
    if (auto draft = open_.find(id); draft != open_.end()) {
      if (draft->second.at)
        release(*draft->second.at);
      draft->second.config = nullptr;
    } else {
      open_[id].number = suggested_++;
    }
    open(id, x.config);
    ++id.number;
  }
}

void archive::take(const observation& what) {
  heard_.add(what.trial).add(static_cast<std::uint64_t>(what.how));
  if (courses_) {
    heard_.add(what.fidelity);
    for (auto x : what.values)
      heard_.add(x);
    if (what.diverged)
      heard_.add(std::uint64_t{1});
  }
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
  auto known = what.how == outcome::completed && is_finite(what.values);
  result made;
  made.trial = what.trial;
  made.spread = what.spread;
  made.at = *trial.at;
  auto is_open = what.how == outcome::stopped && !what.diverged;
  made.how = known ? ending::finished : is_open ? ending::stopped : ending::failed;
  made.value = known ? -what.values.front() : inactive;
  if (known) {
    made.missed = missed_by(what);
    for (auto i = what.values.begin() + 1; i != what.values.end(); ++i)
      made.others.push_back(-*i);
  }
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
  for (auto x : what.others)
    sum.add(x);
  if (what.spread)
    sum.add(std::uint64_t{what.spread->runs}).add(what.spread->squares).add(what.spread->worth);
  digests_.push_back(sum.digest());
  results_.push_back(std::move(what));
}

std::optional<std::uint64_t> archive::number_of(trial_id id) const {
  auto found = open_.find(id);
  return found == open_.end() ? std::nullopt : std::optional{found->second.number};
}

std::vector<cube_point> archive::newest(std::optional<trial_id> but, std::size_t most,
                                        bool only_unseen) const {
  std::vector<cube_point> result;
  for (auto i = open_.rbegin(); i != open_.rend() && result.size() < most; ++i) {
    const auto& [id, trial] = *i;
    if (trial.at && id != but && !(only_unseen && courses().contains(id)))
      result.push_back(*trial.at);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<cube_point> archive::pending(std::optional<trial_id> but, std::size_t most) const {
  return newest(but, most, false);
}

std::vector<cube_point> archive::unseen(std::optional<trial_id> but, std::size_t most) const {
  return newest(but, most, true);
}

bool archive::is_taken(std::uint64_t key, std::optional<trial_id> but) const {
  auto found = taken_.find(key);
  if (found == taken_.end())
    return false;
  auto left_out = but ? open_.find(*but) : open_.end();
  auto is_own
      = left_out != open_.end() && left_out->second.at && space_->key(*left_out->second.at) == key;
  return found->second > (is_own ? 1U : 0U);
}

void archive::describe(fingerprint& into) const {
  into.add(suggested_).add(heard_.digest()).add(digest(results_.size()));
}

} // namespace tune::learning
