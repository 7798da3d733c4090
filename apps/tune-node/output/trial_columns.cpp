// SPDX-License-Identifier: BSD-3-Clause
#include "output/trial_columns.hpp"

#include "command/read_words.hpp"
#include "console/run_snapshot.hpp"
#include "tune/core/experiment/metric_column.hpp"
#include "tune/core/printable.hpp"
#include "tune/core/space/object_parameters.hpp"
#include "tune/core/space/space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace tune::cli {

namespace {

using list = std::vector<trial_column>;

value count(std::uint64_t x) {
  return value{static_cast<std::int64_t>(x)};
}

value seconds(std::chrono::nanoseconds x) {
  return value{static_cast<double>(x.count()) / 1e9};
}

value text_or_null(const std::string& x) {
  return x.empty() ? value{} : value{x};
}

/// A column of a field that only the record has.
trial_column detail(std::string name, value (*read)(const trial_details&), bool right = false,
                    std::uint8_t give = 2) {
  auto title = name;
  return {std::move(name),
          std::move(title),
          [read](const listed_trial& x) { return x.details ? read(*x.details) : value{}; },
          right,
          give,
          false};
}

/// Names of all columns that belong to no parameter or metric.
constexpr std::array<std::string_view, 22> other_columns{
    "trial",        "status",    "iterations", "reason",     "failures",  "best_iteration",
    "time_total_s", "created_s", "ended_s",    "node",       "attempts",  "checkpoint",
    "origin",       "error",     "runs_rank",  "runs_count", "runs_mean", "runs_error",
    "runs_value",   "violation", "pareto",     "objective"};

void add_objectives(list& to, const std::vector<objective>& objectives) {
  for (std::size_t i = 0; i < objectives.size(); ++i)
    to.push_back(
        {column_of_objective(objectives, i), objectives[i].metric,
         [i](const listed_trial& x) { return i < x.objectives.size() ? x.objectives[i] : value{}; },
         true, 1, false});
}

trial_column parameter(const std::string& name) {
  return {"config." + name,
          name,
          [name](const listed_trial& x) {
            const auto* found = x.config ? find_parameter(*x.config, name) : nullptr;
            return found == nullptr ? value{} : *found;
          },
          true,
          3,
          false};
}

/// Adds the parameters of the trials in the order of their first appearance.
/// @param of_space Parameters of the space, which come first. Their values are one cell.
/// @param unused Whether those have columns that no trial has.
void add_parameters(list& to, std::span<const listed_trial> rows, const words& of_space,
                    bool unused) {
  std::set<std::string, std::less<>> known;
  for (const auto& name : unused ? of_space : words{})
    if (known.insert(name).second)
      to.push_back(parameter(name));
  for (const auto& row : rows)
    for (const auto& [name, what] : flatten(row.config ? *row.config : object{}, of_space))
      if (known.insert(name).second)
        to.push_back(parameter(name));
}

void add_paths_below(const object& of, const std::string& prefix, std::set<std::string>& to) {
  for (const auto& [name, what] : of) {
    if (const auto* inner = what.as_object())
      add_paths_below(*inner, prefix + name + "/", to);
    else
      to.insert(prefix + name);
  }
}

/// Adds the metrics that are no objectives.
void add_metrics(list& to, std::span<const listed_trial> rows,
                 const std::vector<objective>& objectives, std::set<std::string> names) {
  for (const auto& row : rows) {
    if (!row.details)
      continue;
    add_paths(row.details->metrics, names);
    add_paths(row.details->other_metrics, names);
  }
  for (const auto& x : objectives)
    names.erase(x.metric);
  for (const auto& name : names)
    to.push_back({"metric." + name, name,
                  [name](const listed_trial& x) {
                    const auto* found = x.details ? find_path(x.details->metrics, name) : nullptr;
                    if (found == nullptr && x.details)
                      found = x.details->metrics.find(name);
                    return found == nullptr ? value{} : *found;
                  },
                  true, 3, false});
}

bool has_runs(std::span<const listed_trial> rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const listed_trial& x) { return x.details && x.details->runs; });
}

/// A column of the statistics of all runs of a configuration.
trial_column of_runs(std::string name, std::string title, value (*read)(const trial_details&)) {
  return {std::move(name),
          std::move(title),
          [read](const listed_trial& x) {
            return x.details && x.details->runs ? read(*x.details) : value{};
          },
          true,
          1,
          false};
}

trial_column rank_of_runs() {
  return of_runs("runs_rank", "rank", [](const trial_details& x) { return count(x.runs_rank); });
}

trial_column mean_of_runs() {
  return of_runs("runs_mean", "mean", [](const trial_details& x) { return value{x.runs->mean}; });
}

/// Where configurations are judged by something else than their means, the value of that.
void add_value_of_runs(list& to, std::span<const listed_trial> rows) {
  const auto found = std::find_if(rows.begin(), rows.end(), [](const listed_trial& x) {
    return x.details && x.details->runs && x.details->runs->judge != run_judge::mean;
  });
  if (found != rows.end())
    to.push_back(
        of_runs("runs_value", judge_text(*found->details->runs), [](const trial_details& x) {
          return std::isnan(x.runs->judged) ? value{} : value{x.runs->judged};
        }));
}

void add_details(list& to, std::span<const listed_trial> rows,
                 const std::vector<objective>& objectives) {
  to.push_back(detail(
      "best_iteration",
      [](const trial_details& x) {
        return x.best_iteration == 0 ? value{} : count(x.best_iteration);
      },
      true));
  to.push_back({"time_total_s", "time_total_s",
                [](const listed_trial& x) { return seconds(x.age); }, true, 2, false});
  to.push_back(detail(
      "created_s", [](const trial_details& x) { return seconds(x.created); }, true));
  to.push_back(detail(
      "ended_s", [](const trial_details& x) { return x.ended ? seconds(*x.ended) : value{}; },
      true));
  to.push_back(detail("node", [](const trial_details& x) { return text_or_null(x.node); }));
  to.push_back(detail(
      "attempts", [](const trial_details& x) { return count(x.attempts); }, true));
  to.push_back(
      detail("checkpoint", [](const trial_details& x) { return text_or_null(x.checkpoint); }));
  to.push_back(detail("origin", [](const trial_details& x) { return text_or_null(x.origin); }));
  to.push_back(detail(
      "error", [](const trial_details& x) { return text_or_null(x.error); }, false, 4));
  if (has_runs(rows)) {
    to.push_back(of_runs("runs_count", "runs_count",
                         [](const trial_details& x) { return count(x.runs->runs); }));
    to.push_back(of_runs("runs_error", "runs_error", [](const trial_details& x) {
      return std::isnan(x.runs->error) ? value{} : value{x.runs->error};
    }));
  }
  if (std::any_of(rows.begin(), rows.end(), [](const auto& x) { return x.is_constrained; }))
    to.push_back({"violation", "violation",
                  [](const listed_trial& x) { return x.violation ? value{*x.violation} : value{}; },
                  true, 2, false});
  if (objectives.size() > 1)
    to.push_back(detail(
        "pareto", [](const trial_details& x) { return x.pareto ? value{*x.pareto} : value{}; }));
}

/// Gives columns of one title their names instead.
void tell_apart(list& columns) {
  std::map<std::string, int> known;
  for (const auto& x : columns)
    ++known[x.title];
  for (auto& x : columns) {
    if (known[x.title] > 1)
      x.title = x.name;
  }
}

/// The column that a user names: by its name, by that of an objective, or by its title; the end if
/// there is none.
list::const_iterator column_named(const list& all, const std::string& name,
                                  const std::vector<objective>& objectives) {
  auto find = [&](auto fits) { return std::find_if(all.begin(), all.end(), fits); };
  auto found = find([&](const trial_column& x) { return x.name == name; });
  const auto goal = found == all.end() ? objective_named(objectives, name) : std::nullopt;
  if (goal)
    found = find(
        [&](const trial_column& x) { return x.name == column_of_objective(objectives, *goal); });
  if (found == all.end())
    found = find([&](const trial_column& x) { return x.title == name; });
  return found;
}

std::string with_commas(const words& all) {
  std::string result;
  for (const auto& x : all)
    result += (result.empty() ? "" : ", ") + printable(x);
  return result;
}

} // namespace

std::string column_of_objective(const std::vector<objective>& objectives, std::size_t i) {
  // The first objective may be called `objective`: that is what `--sort objective` means.
  if (i == 0 && objectives[i].metric == "objective")
    return objectives[i].metric;
  return metric_column(objectives[i].metric, other_columns);
}

std::optional<std::size_t> objective_named(const std::vector<objective>& objectives,
                                           std::string_view name) {
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    if (name == column_of_objective(objectives, i) || name == "metric." + objectives[i].metric)
      return i;
  }
  return std::nullopt;
}

void add_paths(const object& of, std::set<std::string>& to) {
  add_paths_below(of, "", to);
}

std::vector<trial_column> usual_columns(std::span<const listed_trial> rows,
                                        const std::vector<objective>& objectives,
                                        const std::vector<std::string>& of_space, bool unused) {
  list result;
  result.push_back({"trial", "trial", [](const listed_trial& x) { return value{to_text(x.trial)}; },
                    false, 0, false});
  result.push_back({"status", "status",
                    [](const listed_trial& x) { return value{to_text(x.status)}; }, false, 0,
                    false});
  result.push_back({"iterations", "iter", [](const listed_trial& x) { return count(x.iterations); },
                    true, 0, false});
  add_objectives(result, objectives);
  if (has_runs(rows)) {
    result.push_back(rank_of_runs());
    add_value_of_runs(result, rows);
    result.push_back(mean_of_runs());
  }
  add_parameters(result, rows, of_space, unused);
  result.push_back(
      {"reason", "reason", [](const listed_trial& x) { return value{x.reason}; }, false, 4, true});
  result.push_back({"failures", "failures", [](const listed_trial& x) { return count(x.failures); },
                    true, 2, true});
  return result;
}

std::vector<trial_column> all_columns(std::span<const listed_trial> rows,
                                      const std::vector<objective>& objectives,
                                      const recorded_names& names) {
  auto result = usual_columns(rows, objectives, names.parameters, true);
  auto is_recorded = [](const listed_trial& x) { return x.details != nullptr; };
  if (!rows.empty() && std::none_of(rows.begin(), rows.end(), is_recorded))
    return result;
  add_details(result, rows, objectives);
  add_metrics(result, rows, objectives, names.metrics);
  return result;
}

expected<std::vector<trial_column>> columns_of(std::span<const listed_trial> rows,
                                               const std::vector<objective>& objectives,
                                               const std::vector<std::string>& named,
                                               output_format format, const recorded_names& names) {
  const auto is_table = format != output_format::csv;
  auto all = named.empty() && is_table ? usual_columns(rows, objectives, names.parameters)
                                       : all_columns(rows, objectives, names);
  if (named.empty() || (named.size() == 1 && named.front() == "all")) {
    tell_apart(all);
    return all;
  }
  list result;
  for (const auto& name : named) {
    auto found = column_named(all, name, objectives);
    if (found == all.end()) {
      words known;
      for (const auto& x : all)
        known.push_back(x.name);
      auto near = did_you_mean(name, known);
      return error{ec::unknown_name,
                   "--columns " + in_single_quotes(name) + ": there is no such column"
                       + (near.empty() ? "; there are " + with_commas(known) : near)};
    }
    result.push_back(*found);
    result.back().only_if_filled = false;
    // The title is the name that the user gave.
    result.back().title = result.back().asked_as = name;
  }
  return result;
}

} // namespace tune::cli
