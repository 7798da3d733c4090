// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/importance.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "console/text_table.hpp"
#include "inspect/experiment_directory.hpp"
#include "inspect/experiments.hpp"
#include "output/write_rows.hpp"
#include "tune/core/search/importance/by_model.hpp"
#include "tune/core/search/importance/ped_anova.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/store/best_trials.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string_view>
#include <utility>

namespace tune::cli {

namespace {

/// The first objective, or the one named.
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

using measure = importance_request::measure;

/// Inputs by which configurations are judged.
struct judging {
  const search_space& space;
  const spec& facts;
  std::string metric;
  importance_settings how;
};

/// The result of a measure for one parameter.
struct judged_parameter {
  parameter_standing where;
  double share = 0;
  bool more_than_chance = false;
  /// Further numbers of the measure, by name.
  object details;
};

struct judgement {
  measure by = measure::ped_anova;
  std::vector<judged_parameter> all;
  /// Metric of the objective.
  std::string metric{};
};

std::vector<std::shared_ptr<const object>> configs_of(const std::vector<judged_config>& from) {
  std::vector<std::shared_ptr<const object>> result;
  for (const auto& x : from)
    result.push_back(std::make_shared<const object>(x.config));
  return result;
}

/// Scores for a model: configurations that miss a constraint are left out, since they say nothing
/// about it.
/// @errors `ec::bad_option` if too few are left, and why.
expected<std::vector<scored_config>> scored(const std::vector<judged_config>& from,
                                            const judging& what) {
  constexpr std::size_t enough = 10;
  std::vector<scored_config> kept;
  std::size_t missing = 0;
  for (const auto& x : from) {
    missing += x.how.violation > 0 ? 1 : 0;
    if (x.how.violation == 0 && std::isfinite(x.how.score))
      kept.push_back({std::make_shared<const object>(x.config), x.how.score});
  }
  if (kept.size() >= enough || missing == 0)
    return kept;
  std::string constraints;
  for (const auto& x : what.facts.experiment.constraints)
    constraints += (constraints.empty() ? "" : ", ") + to_text(x);
  return error{
      ec::bad_option,
      "of " + counted(from.size(), "configuration") + " " + std::to_string(missing)
          + (missing == 1 ? " misses" : " miss") + " a constraint (" + constraints + ") and "
          + std::to_string(kept.size()) + (kept.size() == 1 ? " is" : " are")
          + " left for a model, which needs at least " + std::to_string(enough)
          + (refuse(what.how, from.size())
                 ? ""
                 : "; --by ped-anova tells which parameters bring trials nearest to them")};
}

expected<judgement> by_densities(const std::vector<judged_config>& from, const judging& what) {
  auto found = ped_anova(what.space, configs_of(from), what.how);
  if (!found)
    return found.error();
  judgement result;
  for (const auto& x : *found)
    result.all.push_back({x.where,
                          x.share,
                          x.is_significant(),
                          {{"divergence", x.divergence}, {"by_chance", x.by_chance}}});
  return result;
}

expected<judgement> by_model(const std::vector<judged_config>& from, const judging& what) {
  auto known = scored(from, what);
  auto found = known ? importance_by_model(what.space, *known, what.how)
                     : expected<std::vector<model_importance>>{known.error()};
  if (!found)
    return found.error();
  judgement result{measure::model, {}, what.metric};
  for (const auto& x : *found)
    result.all.push_back({x.where,
                          x.share,
                          x.is_significant(),
                          {{"effect", x.effect}, {"evidence", x.evidence}, {"chance", x.chance}}});
  return result;
}

/// Whether the searcher learnt from results, so that the places of trials show what it believed.
bool has_learnt(const spec& what) {
  static constexpr std::array<std::string_view, 5> blind{"", "random", "grid", "sobol", "none"};
  return std::find(blind.begin(), blind.end(), what.search.type) == blind.end();
}

expected<judgement> judged(const std::vector<judged_config>& from, measure by,
                           const judging& what) {
  if (by == measure::ped_anova || (by == measure::automatic && !has_learnt(what.facts)))
    return by_densities(from, what);
  auto found = by_model(from, what);
  // Fallback for a space with grids, which no model lays out. If constraints leave too few
  // configurations, that error is reported instead.
  const auto may_turn = by == measure::automatic && scored(from, what).has_value();
  return found || !may_turn ? found : by_densities(from, what);
}

expected<judgement> judgement_of(const std::filesystem::path& directory,
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
  auto configs = judged_configs(
      *reader, {*by, facts->what.experiment.constraints, repeat_rule_of(facts->what)});
  if (!configs)
    return configs.error();
  return judged(*configs, what.by,
                {*space, facts->what, by->metric, {what.best_share, facts->what.experiment.seed}});
}

std::string percent(double share) {
  std::array<char, 32> text{};
  auto size = std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string best_text(const parameter_standing& x) {
  if (!x.is_known())
    return "-";
  auto from = short_text(x.from);
  return x.from == x.to ? from : from + " to " + short_text(x.to);
}

void write_table(const judgement& what, const table_look& look, std::ostream& out) {
  text_table table{{{"parameter"},
                    {"importance", true},
                    {"more than chance", false, 2},
                    {"the best have", false, 1},
                    {"configs", true, 3},
                    {"best", true, 3}}};
  for (const auto& x : what.all) {
    const auto known = x.where.is_known();
    table.add({x.where.parameter, known ? percent(x.share) : "-",
               !known               ? "-"
               : x.more_than_chance ? "yes"
                                    : "no",
               best_text(x.where), std::to_string(x.where.trials), std::to_string(x.where.best)},
              x.more_than_chance ? tint::plain : tint::faint);
  }
  for (const auto& line : table.lines(look.width, look.colors))
    out << line << '\n';
  out << (what.by == measure::model
              ? "by a model of the results: how much " + printable(what.metric)
                    + " would change, everywhere in the space, on a scale that"
                      " makes its values near normal\n"
              : "by where the best are, and where all are\n");
}

/// Without numbers where so few configurations have the parameter that they say nothing of it.
object to_object(const judged_parameter& x, measure by) {
  auto known = x.where.is_known();
  object result{{"parameter", x.where.parameter}};
  result.set("importance", known ? value{x.share} : value{});
  for (const auto& [name, number] : x.details)
    result.set(name, known ? number : value{});
  result.set("more_than_chance", known ? value{x.more_than_chance} : value{});
  result.set("from", known ? x.where.from : value{});
  result.set("to", known ? x.where.to : value{});
  result.set("configs", static_cast<std::int64_t>(x.where.trials));
  result.set("best", static_cast<std::int64_t>(x.where.best));
  result.set("by", by == measure::model ? "model" : "ped-anova");
  return result;
}

} // namespace

expected<std::vector<object>> importance_rows(const importance_request& what) {
  auto directory = directory_of(what.directory);
  if (!directory)
    return directory.error();
  auto all = judgement_of(*directory, what);
  if (!all)
    return all.error();
  std::vector<object> rows;
  for (const auto& x : all->all)
    rows.push_back(to_object(x, all->by));
  return rows;
}

expected<void> show_importance(const importance_request& what, output_format format,
                               const table_look& look, std::ostream& out) {
  if (format != output_format::table) {
    auto rows = importance_rows(what);
    if (!rows)
      return rows.error();
    write_rows(*rows, format, json_layout::one_line, out);
    return {};
  }
  auto directory = directory_of(what.directory);
  if (!directory)
    return directory.error();
  auto all = judgement_of(*directory, what);
  if (!all)
    return all.error();
  write_table(*all, look, out);
  return {};
}

} // namespace tune::cli
