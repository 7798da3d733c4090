// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/median/averages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::median {

namespace {

constexpr auto never = -std::numeric_limits<double>::infinity();

/// Mean of the two middle values, or the middle one.
template <class ValueAt>
double middle(std::size_t count, ValueAt value_at) {
  auto upper = value_at(count / 2);
  return count % 2 == 1 ? upper : (value_at(count / 2 - 1) + upper) / 2;
}

} // namespace

void averages::course::append(double time, double score) {
  auto first = points.empty();
  sum = first ? score : sum + score;
  least = first ? score : std::min(least, score);
  most = first ? score : std::max(most, score);
  auto mean = sum / static_cast<double>(points.size() + 1);
  points.push_back({time, score, std::clamp(mean, least, most)});
}

void averages::course::insert(double time, double score) {
  if (points.empty() || points.back().time <= time) {
    append(time, score);
    return;
  }
  auto old = std::move(points);
  auto place = std::upper_bound(old.begin(), old.end(), time,
                                [](double t, const point& x) { return t < x.time; });
  old.insert(place, {time, score, 0});
  points.clear();
  for (const auto& x : old)
    append(x.time, x.score);
}

const averages::point* averages::course::up_to(double time) const {
  auto after = std::upper_bound(points.begin(), points.end(), time,
                                [](double t, const point& x) { return t < x.time; });
  return after == points.begin() ? nullptr : &*std::prev(after);
}

std::optional<double> averages::course::mean_at(double time) const {
  const auto* found = up_to(time);
  if (found == nullptr || !std::isfinite(found->mean))
    return std::nullopt;
  return found->mean;
}

void averages::add(trial_id trial, double time, double score) {
  if (courses_.size() <= trial.number) {
    courses_.resize(trial.number + 1);
    latest_.resize(trial.number + 1, never);
  }
  auto& own = courses_[trial.number];
  if (!std::isnan(score) && (!own.best || score > *own.best))
    own.best = score;
  auto& latest = latest_[trial.number];
  auto before = latest;
  // If time went back, the trial's means at later times are void; if it stood still, the mean
  // changes.
  for (auto i = columns_.lower_bound(time); i != columns_.end() && i->first <= before; ++i) {
    if (auto mean = own.mean_at(i->first))
      i->second.erase(*mean);
  }
  latest = time;
  if (time >= grace_)
    own.insert(time, score);
  auto i = before < time ? columns_.upper_bound(before) : columns_.lower_bound(time);
  for (; i != columns_.end() && i->first <= time; ++i) {
    if (auto mean = own.mean_at(i->first))
      i->second.insert(*mean);
  }
}

others averages::at(trial_id trial, double time) {
  auto found = columns_.find(time);
  if (found == columns_.end())
    return look_up(trial, time);
  const auto& all = found->second;
  // The trial's own mean is among them, and is skipped.
  auto own = courses_[trial.number].mean_at(time);
  auto skipped = own ? all.below(*own) : all.size();
  others result{all.size() - (own ? 1 : 0), 0};
  if (result.count > 0)
    result.median
        = middle(result.count, [&](std::size_t i) { return all.at(i < skipped ? i : i + 1); });
  return result;
}

others averages::look_up(trial_id trial, double time) {
  std::vector<double> means;
  std::size_t beyond = 0;
  std::size_t shared = 0;
  for (std::size_t i = 0; i < latest_.size(); ++i) {
    if (i == trial.number || !(latest_[i] >= time))
      continue;
    ++beyond;
    const auto* x = courses_[i].up_to(time);
    if (x == nullptr)
      continue;
    shared += x->time == time ? 1 : 0;
    if (std::isfinite(x->mean))
      means.push_back(x->mean);
  }
  std::sort(means.begin(), means.end());
  others result{means.size(), 0};
  if (!means.empty())
    result.median = middle(means.size(), [&](std::size_t i) { return means[i]; });
  if (beyond > 0 && 2 * shared >= beyond) {
    auto& made = columns_.emplace(time, column{means}).first->second;
    if (auto own = courses_[trial.number].mean_at(time))
      made.insert(*own);
  }
  return result;
}

std::optional<double> averages::best(trial_id trial) const {
  return trial.number < courses_.size() ? courses_[trial.number].best : std::nullopt;
}

std::size_t averages::size() const {
  return static_cast<std::size_t>(
      std::count_if(courses_.begin(), courses_.end(),
                    [](const course& x) { return !x.points.empty() || x.best; }));
}

void averages::describe(fingerprint& into) const {
  into.add(std::uint64_t{courses_.size()});
  for (std::size_t i = 0; i < courses_.size(); ++i) {
    const auto& x = courses_[i];
    into.add(latest_[i]).add(x.best.value_or(std::nan(""))).add(std::uint64_t{x.points.size()});
    for (const auto& y : x.points)
      into.add(y.time).add(y.score);
  }
  into.add(std::uint64_t{columns_.size()});
  for (const auto& [time, x] : columns_)
    into.add(time).add(std::uint64_t{x.size()});
}

} // namespace tune::median
