// SPDX-License-Identifier: BSD-3-Clause
#include "top/top_fields.hpp"

#include "console/human.hpp"
#include "console/later_failure.hpp"
#include "console/text.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace tune::cli {

namespace {

std::string time_at(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  const auto seconds = found == nullptr ? std::nullopt : found->number();
  return seconds
             ? duration_text(std::chrono::nanoseconds{static_cast<std::int64_t>(*seconds * 1e9)})
             : "";
}

std::string config_at(const object& from, std::string_view name,
                      std::span<const std::string> whole) {
  const auto* found = from.find(name);
  const auto* config = found == nullptr ? nullptr : found->as_object();
  return config == nullptr ? "" : config_text(*config, whole);
}

/// The configuration that made a trial's best value, where it is not the one that the trial has
/// now.
const object* other_best_config(const object& trial) {
  const auto* now = trial.find("config");
  const auto* then = trial.find("best_config");
  return then == nullptr || (now != nullptr && *then == *now) ? nullptr : then->as_object();
}

std::string counts_text(const object& counts) {
  const auto ended = count_at(counts, "terminated") + count_at(counts, "errored");
  auto result
      = std::to_string(ended) + " of " + counted(count_at(counts, "total"), "trial") + " ended";
  for (const char* name : {"running", "paused", "pending", "errored"}) {
    if (const auto count = count_at(counts, name); count > 0)
      result += ", " + std::to_string(count) + " " + name;
  }
  return result;
}

/// Control sequences of a program's output, and what follows the last carriage return.
std::string shown_line(std::string_view line, std::size_t columns) {
  return cut(settled_line(line), columns);
}

} // namespace

std::string text_at(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found == nullptr || found->is_null() ? std::string{} : to_text(*found);
}

std::uint64_t count_at(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  const auto number = found == nullptr ? std::nullopt : found->number();
  return number && *number > 0 && *number < 1e18 ? static_cast<std::uint64_t>(*number) : 0;
}

const value::list* list_at(const object& from, std::string_view name) {
  const auto* found = from.find(name);
  return found == nullptr ? nullptr : found->as_list();
}

top_data data_of(const object& overview) {
  top_data result;
  const auto* paused = overview.find("paused");
  result.status = text_at(overview, "status");
  // As a head tells it.
  if (result.status == "running" && paused != nullptr && *paused == value{true})
    result.status = "paused";
  result.live = overview.find("live") != nullptr && *overview.find("live") == value{true};
  result.elapsed = time_at(overview, "elapsed_s");
  result.metric = text_at(overview, "metric");
  if (const auto* counts = overview.find("trials"); counts != nullptr && counts->as_object())
    result.counts = counts_text(*counts->as_object());
  const auto* best = overview.find("best");
  const auto* fields = best == nullptr ? nullptr : best->as_object();
  if (fields == nullptr) {
    result.best = "no trial has a value of " + result.metric + " yet";
    return result;
  }
  result.best_trial = trial_id{count_at(*fields, "trial")};
  result.best = "best " + result.metric + " " + short_text(*fields->find("value")) + " of trial "
                + to_text(*result.best_trial)
                + std::string{later_failure(text_at(*fields, "status"))} + " at iteration "
                + std::to_string(count_at(*fields, "iteration"));
  return result;
}

top_row row_of(const object& trial, const std::string& metric, std::span<const std::string> whole) {
  top_row result{trial_id{count_at(trial, "trial")}};
  result.status = text_at(trial, "status");
  result.iterations = count_at(trial, "iterations");
  result.time = time_at(trial, "time_total_s");
  const auto* best_config = other_best_config(trial);
  result.config
      = best_config ? config_text(*best_config, whole) : config_at(trial, "config", whole);
  result.reason = text_at(trial, "reason");
  const auto* metrics = trial.find("best_metrics");
  const auto* known = metrics == nullptr ? nullptr : metrics->as_object();
  const auto* found = known == nullptr ? nullptr : find_path(*known, metric);
  result.value = found == nullptr || found->is_null() ? "-" : short_text(*found);
  return result;
}

std::vector<std::string> parameters_in(const object& overview) {
  std::vector<std::string> result;
  const auto* all = list_at(overview, "parameters");
  for (const auto& x : all == nullptr ? value::list{} : *all) {
    if (x.as_object() != nullptr)
      result.push_back(text_at(*x.as_object(), "name"));
  }
  return result;
}

std::vector<point> points_in(const object& results, const std::string& metric) {
  const auto* columns = list_at(results, "columns");
  const auto* rows = list_at(results, "rows");
  if (columns == nullptr || rows == nullptr)
    return {};
  const auto at = std::find(columns->begin(), columns->end(), value{metric}) - columns->begin();
  std::vector<point> result;
  for (const auto& row : *rows) {
    const auto* cells = row.as_list();
    if (cells == nullptr || static_cast<std::size_t>(at) >= cells->size())
      continue;
    const auto y = (*cells)[static_cast<std::size_t>(at)].number();
    result.emplace_back((*cells)[0].number().value_or(0),
                        y.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return result;
}

std::vector<std::string> last_lines(std::string_view text, std::size_t columns, std::size_t lines) {
  std::vector<std::string> result;
  while (text.ends_with('\n'))
    text.remove_suffix(1);
  while (result.size() < lines && !text.empty()) {
    const auto begin = text.rfind('\n');
    result.push_back(shown_line(text.substr(begin == text.npos ? 0 : begin + 1), columns));
    text = begin == text.npos ? std::string_view{} : text.substr(0, begin);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<std::string> trial_lines(const object& trial, std::size_t columns, std::size_t lines,
                                     std::span<const std::string> whole) {
  std::vector<std::string> result;
  auto add = [&](const std::string& name, const std::string& text) {
    if (text.empty())
      return;
    auto all = wrapped(printable(text), columns > 16 ? columns - 14 : columns);
    for (std::size_t i = 0; i < all.size(); ++i)
      result.push_back(cut(pad_right(i == 0 ? name : "", 14) + all[i], columns));
  };
  add("status", text_at(trial, "status"));
  add("reason", text_at(trial, "reason"));
  add("error", text_at(trial, "error"));
  add("configuration", config_at(trial, "config", whole));
  add("best at", text_at(trial, "best_iteration"));
  add("its metrics", config_at(trial, "best_metrics", {}));
  if (const auto* config = other_best_config(trial))
    add("made with", config_text(*config, whole));
  add("node", text_at(trial, "node"));
  add("origin", text_at(trial, "origin"));
  if (result.size() > lines)
    result.resize(lines);
  return result;
}

} // namespace tune::cli
