// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/csv_rows.hpp"

#include "tune/core/experiment/metric_column.hpp"
#include "tune/core/printable.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/json.hpp"
#include "tune/io/sinks/trial_files/csv.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace tune {

namespace {

constexpr std::string_view rest_column = "other_metrics";
/// All that belong to no parameter or metric; the last one ends the table.
constexpr std::array<std::string_view, 9> fixed_columns{
    "trial_id",     "attempt",   "node", "training_iteration", "time_this_iter_s",
    "time_total_s", "timestamp", "done", rest_column};

std::string cell_of(const value& x) {
  if (x.is_null())
    return {};
  if (x.as_list() != nullptr || x.as_object() != nullptr)
    return printable(to_json(x));
  if (const auto* text = x.as_string())
    return printable(*text);
  return to_text(x);
}

void collect_leaves(const std::string& prefix, const object& from,
                    std::vector<std::pair<std::string, value>>& to) {
  for (const auto& [name, x] : from) {
    if (const auto* inner = x.as_object())
      collect_leaves(prefix + name + '/', *inner, to);
    else
      to.emplace_back(prefix + name, x);
  }
}

double in_seconds(std::chrono::nanoseconds x) {
  return std::chrono::duration<double>(x).count();
}

} // namespace

std::vector<std::pair<std::string, value>> leaves_of(const object& metrics) {
  std::vector<std::pair<std::string, value>> result;
  collect_leaves({}, metrics, result);
  return result;
}

std::vector<std::string> csv_rows::metrics_of(const experiment_facts& of, const object& first) {
  std::vector<std::string> result;
  std::map<std::string, bool> seen;
  auto add = [&](const std::string& name) {
    if (result.size() < most_metrics && seen.try_emplace(name).second)
      result.push_back(name);
  };
  for (const auto& x : of.objectives)
    add(x.metric);
  for (const auto& x : of.constraints)
    add(x.metric);
  for (const auto& [name, x] : leaves_of(first))
    add(name);
  return result;
}

csv_rows::csv_rows(const experiment_facts& of, std::vector<std::string> metrics)
    : metrics_{std::move(metrics)} {
  for (const auto& [name, text] : of.space) {
    if (name != constraint_line)
      parameters_.push_back(name);
  }
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    places_.emplace(metrics_[i], i);
}

std::string csv_rows::title() const {
  std::vector<std::string> cells{fixed_columns.begin(), fixed_columns.end() - 1};
  for (const auto& x : parameters_)
    cells.push_back("config." + printable(x));
  for (const auto& x : metrics_)
    cells.push_back(printable(metric_column(x, fixed_columns)));
  cells.emplace_back(rest_column);
  std::string result;
  csv::append_record(result, cells);
  return result;
}

std::string csv_rows::row(const log_place& where, const report& what) const {
  static const attempt_facts nobody;
  const auto& by = where.by == nullptr ? nobody : *where.by;
  std::vector<std::string> cells{to_text(what.trial),
                                 to_text(what.attempt),
                                 printable(by.node),
                                 std::to_string(what.iteration),
                                 to_text(value{in_seconds(what.time_this_iter)}),
                                 to_text(value{in_seconds(what.time_total)}),
                                 to_text(value{static_cast<double>(what.timestamp_ms) / 1000.0}),
                                 what.done ? "true" : "false"};
  for (const auto& name : parameters_) {
    const auto* found = find_parameter(by.config, name);
    cells.push_back(found == nullptr ? std::string{} : cell_of(*found));
  }
  std::vector<std::string> known(metrics_.size());
  object rest;
  for (auto& [name, x] : leaves_of(what.metrics == nullptr ? object{} : *what.metrics)) {
    if (const auto place = places_.find(name); place != places_.end())
      known[place->second] = cell_of(x);
    else
      rest.set(name, std::move(x));
  }
  cells.insert(cells.end(), known.begin(), known.end());
  cells.push_back(rest.empty() ? std::string{} : printable(to_json(rest)));
  std::string result;
  csv::append_record(result, cells);
  return result;
}

} // namespace tune
