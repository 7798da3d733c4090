// SPDX-License-Identifier: BSD-3-Clause
#include "trial_watch.hpp"

#include <algorithm>
#include <utility>

namespace tune {

namespace {

constexpr std::size_t trials_per_look = 512;

} // namespace

trial_facts facts_of(const trial_row& row) {
  trial_facts result;
  result.trial = row.trial;
  result.status = row.status;
  result.config = row.config;
  result.best_config = row.best_config;
  result.origin = row.origin;
  result.reason = row.reason;
  result.error = row.error;
  result.iterations = row.iterations;
  result.best_iteration = row.best_iteration;
  result.metrics = row.metrics;
  result.best_metrics = row.best_metrics;
  result.created = row.created;
  result.ended = row.ended;
  return result;
}

expected<void> trial_watch::begin(store_reader& from, instant at) {
  next_ = {0};
  open_.clear();
  bool is_new = false;
  while (!is_new) {
    auto count = from.scan_trials(next_, trials_per_look, [&](const raw_trial& row) {
      is_new = is_new || row.created > at;
      if (is_new)
        return;
      if (!row.ended || *row.ended > at)
        open_.insert(row.trial);
      next_ = {row.trial.number + 1};
    });
    if (!count)
      return count.error();
    if (*count < trials_per_look)
      break;
  }
  return {};
}

expected<void> trial_watch::look(store_reader& from, sequence after, sequence last, instant until) {
  auto touched = from.touched_between(after, last);
  if (!touched)
    return touched.error();
  if (auto read = look_for_new(from, until); !read)
    return read;
  return look_for_ended(from, *touched, until);
}

expected<void> trial_watch::look_for_new(store_reader& from, instant until) {
  for (bool more = true; more;) {
    std::vector<trial_id> found;
    auto count = from.scan_trials(next_, trials_per_look, [&](const raw_trial& row) {
      if (row.created <= until && found.size() < trials_per_look)
        found.push_back(row.trial);
    });
    if (!count)
      return count.error();
    auto rows = from.trials(found);
    if (!rows)
      return rows.error();
    for (const auto& row : *rows) {
      created_.push_back(facts_of(row));
      open_.insert(row.trial);
      next_ = {row.trial.number + 1};
    }
    more = found.size() == trials_per_look;
  }
  return {};
}

expected<void> trial_watch::look_for_ended(store_reader& from, const touched_trials& touched,
                                           instant until) {
  std::set<trial_id> doubtful;
  if (touched.all)
    doubtful = open_;
  for (auto id : touched.which) {
    if (open_.contains(id))
      doubtful.insert(id);
  }
  const std::vector<trial_id> which{doubtful.begin(), doubtful.end()};
  auto rows = from.trials(which);
  if (!rows)
    return rows.error();
  for (const auto& row : *rows) {
    if (!row.ended || *row.ended > until)
      continue;
    concluded_.push_back(facts_of(row));
    open_.erase(row.trial);
  }
  std::stable_sort(concluded_.begin(), concluded_.end(),
                   [](const auto& a, const auto& b) { return *a.ended < *b.ended; });
  return {};
}

std::optional<trial_facts> trial_watch::next_created(instant at) {
  if (created_.empty() || created_.front().created > at)
    return std::nullopt;
  auto result = std::move(created_.front());
  created_.pop_front();
  return result;
}

std::optional<trial_facts> trial_watch::next_concluded(instant at) {
  if (concluded_.empty() || *concluded_.front().ended > at)
    return std::nullopt;
  auto result = std::move(concluded_.front());
  concluded_.pop_front();
  return result;
}

} // namespace tune
