// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/store/best_trials.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tune {

namespace {

std::optional<double> number_at_top(const trial_row& x, const std::string& metric) {
  const auto* found = x.best_metrics ? x.best_metrics->find(metric) : nullptr;
  auto number = found == nullptr ? std::nullopt : found->number();
  return number && std::isnan(*number) ? std::nullopt : number;
}

/// The value of `metric` in the best report. Fields that the runtime adds are found only in the
/// report itself.
expected<std::optional<double>> number_of(store_reader& from, const trial_row& x,
                                          const std::string& metric) {
  if (!x.best_metrics)
    return std::optional<double>{};
  if (auto number = number_at_top(x, metric))
    return number;
  if (const auto* found = find_path(*x.best_metrics, metric))
    return found->number();
  auto reports = from.results(x.trial, 0, std::numeric_limits<std::size_t>::max());
  if (!reports)
    return reports.error();
  for (const auto& each : *reports) {
    if (each.what->iteration == x.best_iteration && each.what->metrics
        && *each.what->metrics == *x.best_metrics)
      return metric_number(*each.what, metric);
  }
  return std::optional<double>{};
}

struct judged {
  merit how;
  trial_row row;
};

/// All trials with their merits, NaN if there is no number. Needed because the database does not
/// know constraints or nested metrics.
expected<std::vector<judged>> judge_each(store_reader& from, const best_rule& rule) {
  trial_query all;
  all.limit = std::numeric_limits<std::size_t>::max();
  auto rows = from.trials(all);
  if (!rows)
    return rows.error();
  std::vector<judged> result;
  for (auto& x : *rows) {
    auto number = number_of(from, x, rule.by.metric);
    if (!number)
      return number.error();
    merit how;
    if (*number)
      how = {total_violation(rule.constraints, *x.best_metrics),
             rule.by.maximise ? **number : -**number};
    result.push_back({how, std::move(x)});
  }
  return result;
}

expected<std::vector<trial_row>> judge_all(store_reader& from, const best_rule& rule) {
  auto known = judge_each(from, rule);
  if (!known)
    return known.error();
  std::erase_if(*known, [](const judged& x) { return std::isnan(x.how.score); });
  std::stable_sort(known->begin(), known->end(),
                   [](const judged& x, const judged& y) { return is_better(x.how, y.how); });
  std::vector<trial_row> result;
  result.reserve(known->size());
  for (auto& x : *known)
    result.push_back(std::move(x.row));
  return result;
}

run_book book_of(const std::vector<judged>& all, const repeat_rule& rule) {
  run_book result{rule};
  for (const auto& [how, row] : all) {
    result.add(row.trial, row.best_config ? *row.best_config : row.config, row.origin);
    result.note(row.trial, how);
    if (is_final(row.status))
      result.end(row.trial);
  }
  return result;
}

expected<std::vector<trial_row>> best_runs(store_reader& from, const best_rule& rule,
                                           std::size_t limit) {
  auto known = judge_each(from, rule);
  if (!known)
    return known.error();
  std::map<trial_id, const trial_row*> by_trial;
  for (const auto& x : *known)
    by_trial.emplace(x.row.trial, &x.row);
  std::vector<trial_row> result;
  for (const auto& group : book_of(*known, rule.repeats).ranked(limit))
    result.push_back(*by_trial.at(group.best));
  return result;
}

} // namespace

namespace {

const object& config_of(const trial_row& x) {
  return x.best_config ? *x.best_config : x.config;
}

/// The best first; a configuration may occur more than once.
std::vector<judged_config> all_judged(std::vector<judged> known, const repeat_rule& rule) {
  std::vector<judged_config> result;
  if (!rule.is_on()) {
    std::erase_if(known, [](const judged& x) { return std::isnan(x.how.score); });
    std::stable_sort(known.begin(), known.end(),
                     [](const judged& x, const judged& y) { return is_better(x.how, y.how); });
    for (const auto& x : known)
      result.push_back({x.how, config_of(x.row)});
    return result;
  }
  std::map<trial_id, const trial_row*> rows;
  for (const auto& x : known)
    rows.emplace(x.row.trial, &x.row);
  for (const auto& group : book_of(known, rule).ranked(known.size()))
    result.push_back({group.how, config_of(*rows.at(group.best))});
  return result;
}

} // namespace

expected<std::vector<judged_config>> judged_configs(store_reader& from, const best_rule& rule) {
  auto known = judge_each(from, rule);
  if (!known)
    return known.error();
  auto all = all_judged(std::move(*known), rule.repeats);
  // Where nothing runs several times, a parameter of that name is one like the others.
  const auto parameter = rule.repeats.is_on() ? rule.repeats.parameter : std::string{};
  std::set<std::string> seen;
  std::erase_if(all, [&](const judged_config& x) {
    return !seen.insert(run_key(x.config, parameter)).second;
  });
  return all;
}

expected<run_book> runs_of(store_reader& from, const best_rule& rule) {
  auto known = judge_each(from, rule);
  if (!known)
    return known.error();
  return book_of(*known, rule.repeats);
}

expected<std::vector<trial_row>> best_trials(store_reader& from, const best_rule& rule,
                                             std::size_t limit) {
  if (rule.repeats.is_on())
    return best_runs(from, rule, limit);
  const auto& by = rule.by;
  trial_query which;
  which.by = trial_query::order::metric;
  which.metric = by.metric;
  which.descending = by.maximise;
  which.limit = limit;
  auto rows = from.trials(which);
  if (!rows)
    return rows;
  auto is_enough
      = rule.constraints.empty() && !rows->empty() && number_at_top(rows->front(), by.metric);
  if (!is_enough)
    rows = judge_all(from, rule);
  else
    std::erase_if(*rows, [&](const trial_row& x) { return !number_at_top(x, by.metric); });
  if (rows)
    rows->resize(std::min(rows->size(), limit));
  return rows;
}

} // namespace tune
