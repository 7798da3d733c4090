// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/importance.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"
#include "inspect/experiment_directory.hpp"
#include "inspect/experiments.hpp"
#include "tune/core/search/importance/ped_anova.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/store/best_trials.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <ostream>
#include <utility>

namespace tune::cli {

namespace {

/// The first objective, or that of the name.
expected<objective> objective_of(const spec& what, const std::string& metric) {
  const auto& all = what.experiment.objectives;
  if (metric.empty())
    return all.front();
  auto i = std::find_if(all.begin(), all.end(),
                        [&](const objective& each) { return each.metric == metric; });
  if (i != all.end())
    return *i;
  std::string names;
  for (const auto& each : all)
    names += (names.empty() ? "" : ", ") + each.metric;
  return error{ec::unknown_name, "--metric: " + metric + " is no objective; it has: " + names};
}

expected<std::vector<parameter_importance>> importances_in(const std::filesystem::path& directory,
                                                           const importance_request& what) {
  auto facts = facts_of(directory);
  if (!facts)
    return facts.error();
  auto by = objective_of(facts->what, what.metric);
  if (!by)
    return by.error();
  auto space = search_space::parse(space_lines(facts->what));
  if (!space)
    return space.error();
  auto reader = store_reader::open(directory);
  if (!reader)
    return reader.error();
  auto rows
      = best_trials(*reader, {*by, facts->what.experiment.constraints, repeat_rule_of(facts->what)},
                    std::numeric_limits<std::size_t>::max());
  if (!rows)
    return rows.error();
  std::vector<std::shared_ptr<const object>> configs;
  configs.reserve(rows->size());
  for (const auto& row : *rows)
    configs.push_back(
        std::make_shared<const object>(row.best_config ? *row.best_config : row.config));
  return ped_anova(*space, configs, {what.best_share, facts->what.experiment.seed});
}

std::string percent(double share) {
  std::array<char, 32> text{};
  auto size = std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string best_text(const parameter_importance& x) {
  if (x.best == 0)
    return "-";
  auto from = short_text(x.from);
  return x.from == x.to ? from : from + " to " + short_text(x.to);
}

void write_table(const std::vector<parameter_importance>& all, const table_look& look,
                 std::ostream& out) {
  text_table table{{{"parameter"},
                    {"importance", true},
                    {"more than chance", false, 2},
                    {"the best have", false, 1},
                    {"trials", true, 3},
                    {"best", true, 3}}};
  for (const auto& x : all)
    table.add({x.parameter, percent(x.share), x.is_significant() ? "yes" : "no", best_text(x),
               std::to_string(x.trials), std::to_string(x.best)},
              x.is_significant() ? tint::plain : tint::faint);
  for (const auto& line : table.lines(look.width, look.colors))
    out << line << '\n';
}

object to_object(const parameter_importance& x) {
  auto known = x.best > 0;
  return {{"parameter", x.parameter},
          {"importance", x.share},
          {"divergence", x.divergence},
          {"by_chance", x.by_chance},
          {"more_than_chance", value{x.is_significant()}},
          {"from", known ? x.from : value{}},
          {"to", known ? x.to : value{}},
          {"trials", static_cast<std::int64_t>(x.trials)},
          {"best", static_cast<std::int64_t>(x.best)}};
}

void write_csv(const std::vector<parameter_importance>& all, std::ostream& out) {
  std::vector<std::string> titles;
  for (const auto& [name, what] : to_object(parameter_importance{}))
    titles.push_back(name);
  out << csv_line(titles);
  for (const auto& x : all) {
    std::vector<std::string> fields;
    for (const auto& [name, what] : to_object(x))
      fields.push_back(what.is_null() ? "" : to_text(what));
    out << csv_line(fields);
  }
}

} // namespace

expected<void> show_importance(const importance_request& what, output_format format,
                               const table_look& look, std::ostream& out) {
  auto directory = directory_of(what.directory);
  if (!directory)
    return directory.error();
  auto all = importances_in(*directory, what);
  if (!all)
    return all.error();
  switch (format) {
    case output_format::table:
      write_table(*all, look, out);
      break;
    case output_format::csv:
      write_csv(*all, out);
      break;
    case output_format::json: {
      value::list rows;
      for (const auto& x : *all)
        rows.emplace_back(to_object(x));
      out << to_json(value{std::move(rows)}) << '\n';
      break;
    }
    case output_format::jsonl:
      for (const auto& x : *all)
        out << to_json(to_object(x)) << '\n';
      break;
  }
  return {};
}

} // namespace tune::cli
