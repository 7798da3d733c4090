// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_trials.hpp"

#include "console/human.hpp"
#include "console/one_line.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"
#include "output/write_rows.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

namespace tune::cli {
namespace {

value objective_of(const listed_trial& x, std::size_t i) {
  return i < x.objectives.size() ? x.objectives[i] : value{};
}

/// A value in full, as one field.
std::string field_text(const value& x) {
  if (x.is_null())
    return {};
  if (x.as_list() != nullptr || x.as_object() != nullptr)
    return to_json(x);
  return to_text(x);
}

/// An object of the requested columns.
object of_columns(const listed_trial& x, const std::vector<trial_column>& columns) {
  object result;
  for (const auto& column : columns)
    result.set(column.label(), column.read(x));
  return result;
}

void add_details(object& to, const listed_trial& x) {
  const auto& more = *x.details;
  auto seconds = [](std::chrono::nanoseconds y) { return static_cast<double>(y.count()) / 1e9; };
  auto text = [](const std::string& y) { return y.empty() ? value{} : value{y}; };
  to.set("metrics", more.metrics);
  to.set("best_iteration", more.best_iteration == 0
                               ? value{}
                               : value{static_cast<std::int64_t>(more.best_iteration)});
  to.set("time_total_s", seconds(x.age));
  to.set("created_s", seconds(more.created));
  to.set("ended_s", more.ended ? value{seconds(*more.ended)} : value{});
  to.set("node", text(more.node));
  to.set("attempts", static_cast<std::int64_t>(more.attempts));
  to.set("checkpoint", text(more.checkpoint));
  to.set("origin", text(more.origin));
  to.set("error", text(more.error));
  if (x.is_constrained)
    to.set("violation", x.violation ? value{*x.violation} : value{});
  if (more.runs) {
    auto all = to_object(*more.runs);
    all.set("rank", static_cast<std::int64_t>(more.runs_rank));
    to.set("runs", std::move(all));
  }
  if (more.pareto)
    to.set("pareto", *more.pareto);
}

void write_csv(std::span<const listed_trial> rows, const std::vector<trial_column>& columns,
               std::ostream& out) {
  std::vector<std::string> titles;
  for (const auto& x : columns)
    titles.push_back(x.label());
  out << csv_line(titles);
  for (const auto& row : rows) {
    std::vector<std::string> fields;
    for (const auto& x : columns)
      fields.push_back(field_text(x.read(row)));
    out << csv_line(fields);
  }
}

tint tint_of(trial_status x) {
  if (x == trial_status::errored)
    return tint::bad;
  return x == trial_status::running ? tint::good : tint::plain;
}

/// Whether the column is that of a parameter that the trial's configuration has.
bool has_parameter(const listed_trial& row, std::string_view column) {
  constexpr std::string_view prefix = "config.";
  return column.starts_with(prefix) && row.config != nullptr
         && find_parameter(*row.config, column.substr(prefix.size())) != nullptr;
}

/// Short text of a cell. A missing value is a dash, except for a reason or failures.
std::string cell_text(const trial_column& column, const listed_trial& row) {
  auto x = column.read(row);
  if (column.name == "reason" || column.name == "error")
    return in_one_line(field_text(x));
  if (column.name == "checkpoint")
    return field_text(x);
  if (column.name == "failures" && column.only_if_filled)
    return row.failures == 0 ? "" : std::to_string(row.failures);
  if (const auto* miss = x.as_double();
      miss != nullptr && column.name == "violation" && is_at_limit(*miss))
    return miss_text(*miss);
  if (column.name == "trial" || column.name == "status" || column.name == "iterations")
    return to_text(x);
  return x.is_null() ? (has_parameter(row, column.name) ? "null" : "-") : short_text(x);
}

void write_table(std::span<const listed_trial> rows, const std::vector<trial_column>& columns,
                 const table_look& look, std::ostream& out) {
  std::vector<table_column> titles;
  for (const auto& x : columns)
    titles.push_back({x.title, x.right_aligned, x.give, x.only_if_filled});
  text_table table{std::move(titles)};
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const auto& x : columns)
      cells.push_back(cell_text(x, row));
    table.add(std::move(cells), tint_of(row.status));
  }
  for (const auto& line : table.lines(look.width, look.colors))
    out << line << "\n";
  std::string left_out;
  for (const auto& x : table.left_out(look.width))
    left_out += (left_out.empty() ? "" : ", ") + x;
  if (!left_out.empty())
    out << look.colors.paint(tint::faint, "(no room for " + left_out + ": see --output csv)")
        << "\n";
}

} // namespace

object to_object(const listed_trial& x, const std::vector<objective>& objectives) {
  object values;
  for (std::size_t i = 0; i < objectives.size(); ++i)
    values.set(objectives[i].metric, objective_of(x, i));
  object result;
  result.set("trial", to_text(x.trial));
  result.set("status", to_text(x.status));
  result.set("iterations", static_cast<std::int64_t>(x.iterations));
  result.set("objectives", std::move(values));
  result.set("config", x.config ? *x.config : object{});
  result.set("reason", x.reason);
  result.set("failures", static_cast<std::int64_t>(x.failures));
  if (x.details)
    add_details(result, x);
  return result;
}

void write_trials(std::span<const listed_trial> rows, const std::vector<objective>& objectives,
                  const std::vector<trial_column>& columns, const trials_form& how,
                  std::ostream& out) {
  if (how.format == output_format::table)
    return write_table(rows, columns, how.look, out);
  if (how.format == output_format::csv)
    return write_csv(rows, columns, out);
  std::vector<object> objects;
  for (const auto& row : rows)
    objects.push_back(how.only_columns ? of_columns(row, columns) : to_object(row, objectives));
  write_rows(objects, how.format, json_layout::row_per_line, out);
}

} // namespace tune::cli
