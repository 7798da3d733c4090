// SPDX-License-Identifier: BSD-3-Clause
#include "output/write_trials.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"
#include "tune/core/space/space.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

namespace tune::cli {
namespace {

using flat_config = std::vector<std::pair<std::string, value>>;

flat_config flat(const listed_trial& x) {
  return x.config ? flatten(*x.config) : flat_config{};
}

/// All parameters of all trials, in the order of their first appearance.
std::vector<std::string> parameters_of(std::span<const listed_trial> rows) {
  std::vector<std::string> result;
  std::set<std::string, std::less<>> known;
  for (const auto& row : rows)
    for (const auto& [name, what] : flat(row))
      if (known.insert(name).second)
        result.push_back(name);
  return result;
}

const value* find(const flat_config& where, std::string_view name) {
  auto i
      = std::find_if(where.begin(), where.end(), [name](const auto& x) { return x.first == name; });
  return i == where.end() ? nullptr : &i->second;
}

value objective_of(const listed_trial& x, std::size_t i) {
  return i < x.objectives.size() ? x.objectives[i] : value{};
}

/// A value in full, as one field.
std::string field_text(const value* x) {
  if (x == nullptr || x->is_null())
    return {};
  if (x->as_list() != nullptr || x->as_object() != nullptr)
    return to_json(*x);
  return to_text(*x);
}

std::string json_row(const listed_trial& x, const std::vector<objective>& objectives) {
  return to_json(to_object(x, objectives));
}

void write_json(std::span<const listed_trial> rows, const std::vector<objective>& objectives,
                std::ostream& out) {
  out << "[";
  for (std::size_t i = 0; i < rows.size(); ++i)
    out << (i == 0 ? "\n  " : ",\n  ") << json_row(rows[i], objectives);
  out << (rows.empty() ? "]\n" : "\n]\n");
}

void write_csv(std::span<const listed_trial> rows, const std::vector<objective>& objectives,
               std::ostream& out) {
  auto parameters = parameters_of(rows);
  std::vector<std::string> titles{"trial", "status", "iterations"};
  for (const auto& x : objectives)
    titles.push_back(x.metric);
  for (const auto& x : parameters)
    titles.push_back("config." + x);
  titles.insert(titles.end(), {"reason", "failures"});
  out << csv_line(titles);
  for (const auto& row : rows) {
    std::vector<std::string> fields{to_text(row.trial), std::string{to_text(row.status)},
                                    std::to_string(row.iterations)};
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      auto x = objective_of(row, i);
      fields.push_back(field_text(&x));
    }
    auto config = flat(row);
    for (const auto& x : parameters)
      fields.push_back(field_text(find(config, x)));
    fields.insert(fields.end(), {row.reason, std::to_string(row.failures)});
    out << csv_line(fields);
  }
}

tint tint_of(trial_status x) {
  if (x == trial_status::errored)
    return tint::bad;
  return x == trial_status::running ? tint::good : tint::plain;
}

std::vector<table_column> columns_of(const std::vector<std::string>& parameters,
                                     const std::vector<objective>& objectives) {
  std::vector<table_column> result{{"trial"}, {"status"}, {"iter", true}};
  for (const auto& x : objectives)
    result.push_back({x.metric, true, 1});
  for (const auto& x : parameters)
    result.push_back({x, true, 3});
  result.push_back({"reason", false, 4, true});
  result.push_back({"failures", true, 2, true});
  return result;
}

std::vector<std::string> cells_of(const listed_trial& row,
                                  const std::vector<std::string>& parameters,
                                  const std::vector<objective>& objectives) {
  std::vector<std::string> result{to_text(row.trial), std::string{to_text(row.status)},
                                  std::to_string(row.iterations)};
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    auto x = objective_of(row, i);
    result.push_back(x.is_null() ? "-" : short_text(x));
  }
  auto config = flat(row);
  for (const auto& x : parameters) {
    const auto* found = find(config, x);
    result.push_back(found == nullptr ? "-" : short_text(*found));
  }
  result.push_back(row.reason);
  result.push_back(row.failures == 0 ? "" : std::to_string(row.failures));
  return result;
}

void write_table(std::span<const listed_trial> rows, const std::vector<objective>& objectives,
                 const table_look& look, std::ostream& out) {
  auto parameters = parameters_of(rows);
  text_table table{columns_of(parameters, objectives)};
  for (const auto& row : rows)
    table.add(cells_of(row, parameters, objectives), tint_of(row.status));
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
  return result;
}

void write_trials(std::span<const listed_trial> rows, const std::vector<objective>& objectives,
                  output_format format, const table_look& look, std::ostream& out) {
  switch (format) {
    case output_format::table:
      write_table(rows, objectives, look, out);
      break;
    case output_format::json:
      write_json(rows, objectives, out);
      break;
    case output_format::jsonl:
      for (const auto& row : rows)
        out << json_row(row, objectives) << "\n";
      break;
    case output_format::csv:
      write_csv(rows, objectives, out);
      break;
  }
}

} // namespace tune::cli
