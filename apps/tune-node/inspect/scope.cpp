// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/scope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace tune::cli {

namespace {

using series = std::map<std::string, std::vector<double>>;

/// Adds all numbers of a report by their paths.
void collect(const object& from, const std::string& prefix, series& to) {
  for (const auto& [name, what] : from) {
    if (const auto* inner = what.as_object())
      collect(*inner, prefix + name + "/", to);
    else if (auto number = what.number(); number && !std::isnan(*number))
      to[prefix + name].push_back(*number);
  }
}

double mean_of_last(const std::vector<double>& xs, std::size_t count) {
  auto from = xs.end() - static_cast<std::ptrdiff_t>(std::min(count, xs.size()));
  return std::accumulate(from, xs.end(), 0.0) / static_cast<double>(xs.end() - from);
}

double joined(const std::vector<double>& xs, metric_scope how) {
  switch (how) {
    case metric_scope::min:
      return *std::min_element(xs.begin(), xs.end());
    case metric_scope::max:
      return *std::max_element(xs.begin(), xs.end());
    case metric_scope::last_5_avg:
      return mean_of_last(xs, 5);
    case metric_scope::last_10_avg:
      return mean_of_last(xs, 10);
    default:
      return mean_of_last(xs, xs.size());
  }
}

/// Without metrics where no report is the best: none has a number for the first objective.
scoped_reports best_report(const trial_row& of) {
  if (of.best_metrics)
    return {*of.best_metrics, of.best_config.value_or(of.config)};
  return {{}, of.last_config.value_or(of.config)};
}

/// A report's number for a metric; nothing if there is none, or NaN.
std::optional<double> number_of(const result_row& x, const std::string& name) {
  const auto* found = x.what->metrics ? find_path(*x.what->metrics, name) : nullptr;
  auto number = found == nullptr ? std::nullopt : found->number();
  return number && !std::isnan(*number) ? number : std::nullopt;
}

/// The report whose configuration is shown with the joined metrics. @param rows Not empty.
const result_row& speaker(const std::vector<result_row>& rows, metric_scope how,
                          const std::string& first) {
  if (how != metric_scope::min && how != metric_scope::max)
    return rows.back();
  const result_row* result = nullptr;
  std::optional<double> most;
  for (const auto& x : rows) {
    auto number = number_of(x, first);
    if (!number || (most && (how == metric_scope::min ? *number >= *most : *number <= *most)))
      continue;
    result = &x;
    most = number;
  }
  return result != nullptr ? *result : rows.back();
}

/// The objectives, with larger as better; nothing if one is not a number.
std::optional<std::vector<double>> scores_of(const std::vector<value>& row,
                                             const std::vector<objective>& objectives) {
  std::vector<double> result;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    auto number = i < row.size() ? row[i].number() : std::nullopt;
    if (!number || std::isnan(*number))
      return std::nullopt;
    result.push_back(objectives[i].maximise ? *number : -*number);
  }
  return result;
}

bool beats(const std::vector<double>& x, const std::vector<double>& y) {
  auto better = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < y[i])
      return false;
    better = better || x[i] > y[i];
  }
  return better;
}

} // namespace

object joined_metrics(std::span<const std::shared_ptr<const report>> reports, metric_scope how) {
  series all;
  for (const auto& x : reports) {
    if (x->metrics)
      collect(*x->metrics, "", all);
  }
  object result;
  for (const auto& [name, xs] : all)
    result.set(name, joined(xs, how));
  return result;
}

expected<scoped_reports> reports_in_scope(store_reader& from, const trial_row& of, metric_scope how,
                                          const std::string& first) {
  if (how == metric_scope::best)
    return best_report(of);
  auto rows = from.results(of.trial, 0, std::numeric_limits<std::size_t>::max());
  if (!rows)
    return rows.error();
  if (rows->empty())
    return scoped_reports{{}, of.config};
  const auto& chosen = speaker(*rows, how, first);
  scoped_reports result{{}, chosen.config ? *chosen.config : of.config};
  if (how == metric_scope::last) {
    result.metrics = chosen.what->metrics ? *chosen.what->metrics : object{};
    return result;
  }
  std::vector<std::shared_ptr<const report>> reports;
  for (const auto& x : *rows)
    reports.push_back(x.what);
  result.metrics = joined_metrics(reports, how);
  return result;
}

std::vector<bool> pareto_front(std::span<const std::vector<value>> rows,
                               const std::vector<objective>& objectives) {
  // Being better is transitive: a row beaten by an erased row is also beaten by the row that erased
  // it.
  std::vector<std::pair<std::size_t, std::vector<double>>> front;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto scores = scores_of(rows[i], objectives);
    auto is_beaten = [&](const auto& x) { return beats(x.second, *scores); };
    if (!scores || std::any_of(front.begin(), front.end(), is_beaten))
      continue;
    std::erase_if(front, [&](const auto& x) { return beats(*scores, x.second); });
    front.emplace_back(i, std::move(*scores));
  }
  std::vector<bool> result(rows.size());
  for (const auto& x : front)
    result[x.first] = true;
  return result;
}

} // namespace tune::cli
