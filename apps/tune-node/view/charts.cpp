// SPDX-License-Identifier: BSD-3-Clause
#include "view/charts.hpp"

#include "inspect/importance.hpp"
#include "inspect/scope.hpp"
#include "view/fields.hpp"
#include "view/parameters.hpp"
#include "view/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tune::cli {

namespace {

value cell_value(const column* from, std::size_t place) {
  if (from == nullptr)
    return {};
  const auto& cell = from->at(place);
  return cell.text >= 0 ? value{from->text_of(cell)} : number_or_null(cell.number);
}

/// The least and the greatest number in a column; nothing if it has none.
std::optional<std::pair<double, double>> range_in(const column* from, std::size_t size) {
  std::optional<std::pair<double, double>> result;
  for (std::size_t i = 0; from != nullptr && i < size; ++i) {
    const auto x = from->at(i).number;
    if (std::isfinite(x))
      result = result ? std::pair{std::min(result->first, x), std::max(result->second, x)}
                      : std::pair{x, x};
  }
  return result;
}

value texts_value(const column* from) {
  constexpr std::size_t most = 200;
  value::list result;
  for (const auto& x : from == nullptr ? std::vector<std::string>{} : from->texts()) {
    if (result.size() < most)
      result.emplace_back(x);
  }
  return result;
}

/// The values of a domain as cells have them.
value as_cells(const value& listed) {
  if (listed.as_list() == nullptr)
    return listed;
  value::list result;
  for (const auto& x : *listed.as_list()) {
    const auto is_text = x.as_string() || x.as_list() || x.as_object() || x.is_null();
    result.push_back(is_text ? value{text_in_column(x)} : x);
  }
  return result;
}

/// Whether some values of a list are no numbers: then all are names, which have no distance.
bool has_names(const value& listed) {
  const auto* all = listed.as_list();
  return all != nullptr && std::any_of(all->begin(), all->end(), [](const value& x) {
           return x.as_bool() != nullptr || !x.number();
         });
}

/// An axis: what the domain says, widened to what trials have.
object axis_object(const std::string& name, const object* domain, const column* from,
                   std::size_t size) {
  object result{{"name", name}};
  auto take = [&](const char* key) {
    const auto* found = domain == nullptr ? nullptr : domain->find(key);
    return found == nullptr ? value{} : *found;
  };
  result.set("kind", domain == nullptr ? value{"float"} : take("kind"));
  result.set("log", take("log") == value{true});
  auto low = take("low"), high = take("high");
  const auto range = has_names(take("values")) ? std::nullopt : range_in(from, size);
  if (range) {
    if (low.is_null() || *low.number() > range->first)
      low = range->first;
    if (high.is_null() || *high.number() < range->second)
      high = range->second;
  }
  result.set("low", low);
  result.set("high", high);
  const auto listed = as_cells(take("values"));
  const auto is_numeric = !low.is_null();
  result.set("values", is_numeric ? value{} : listed.is_null() ? texts_value(from) : listed);
  return result;
}

/// Rows with the best values of a metric, for choosing among them.
std::vector<merit> merits_of(const experiment_summary& seen, const column* values, bool maximise) {
  std::vector<merit> result(seen.trials.size());
  for (std::size_t i = 0; values != nullptr && i < result.size(); ++i) {
    const auto x = values->at(i).number;
    result[i] = {seen.trials.lines()[i].how.violation, maximise ? x : -x};
  }
  return result;
}

struct chart_wish {
  std::string metric;
  bool maximise = true;
  std::vector<std::string> parameters;
};

expected<chart_wish> chart_metric(watched_experiment& from, const std::string& metric) {
  auto seen = from.look();
  if (!seen)
    return seen.error();
  const auto& start = *(*seen)->start;
  const auto& first = start.by.objectives.front();
  chart_wish result{metric.empty() ? first.metric : metric, first.maximise,
                    parameter_names_in(start.parameters)};
  for (const auto& x : start.by.objectives) {
    if (x.metric == result.metric)
      result.maximise = x.maximise;
  }
  return result;
}

/// The trials in the front, by place. Those that miss a constraint are not in it.
std::vector<bool> front_of(const trial_table& trials) {
  const auto& by = trials.by().objectives;
  std::vector<std::vector<value>> rows(trials.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto misses = trials.lines()[i].how.violation > 0;
    for (std::size_t k = 0; k < by.size(); ++k)
      rows[i].push_back(misses ? value{} : number_or_null(trials.objective(i, k)));
  }
  return pareto_front(rows, by);
}

} // namespace

std::vector<std::size_t> telling_trials(const std::vector<merit>& how, std::size_t most) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < how.size(); ++i) {
    if (!std::isnan(how[i].score))
      all.push_back(i);
  }
  if (all.size() <= most)
    return all;
  std::set<std::size_t> chosen;
  for (auto i : spread_places(all.size(), most - most / 10))
    chosen.insert(all[i]);
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most / 10), all.end(),
                    [&](std::size_t x, std::size_t y) { return is_better(how[x], how[y]); });
  chosen.insert(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most / 10));
  return {chosen.begin(), chosen.end()};
}

view_answer parallel(watched_experiment& from, const view_request& what) {
  query_reader query{what};
  const auto limit = query.number("limit", 2000, 10, 20'000);
  if (query.fault())
    return *query.fault();
  auto wish = chart_metric(from, query.text("metric"));
  if (!wish)
    return fault_of(wish.error());
  const column_name metric{column_name::kind::best, wish->metric};
  looking_for needs{{metric}, false};
  for (const auto& name : wish->parameters) {
    if (needs.columns.size() < trial_table::most_columns)
      needs.columns.push_back({column_name::kind::parameter, name});
  }
  auto seen = from.look(needs);
  if (!seen)
    return fault_of(seen.error());
  const auto& trials = (*seen)->trials;
  const auto* values = trials.find(metric);
  value::list axes, lines;
  std::vector<const column*> columns;
  const auto* listed = (*seen)->start->parameters.as_list();
  for (std::size_t i = 1; i < needs.columns.size(); ++i) {
    columns.push_back(trials.find(needs.columns[i]));
    const auto* domain = (*listed)[i - 1].as_object()->find("domain")->as_object();
    axes.emplace_back(axis_object(needs.columns[i].name, domain, columns.back(), trials.size()));
  }
  columns.push_back(values);
  auto last = axis_object(wish->metric, nullptr, values, trials.size());
  const auto how = merits_of(**seen, values, wish->maximise);
  for (auto place : telling_trials(how, limit)) {
    const auto& line = trials.lines()[place];
    value::list cells{number_value(line.trial.number), to_text(line.status)};
    for (const auto* each : columns)
      cells.push_back(cell_value(each, place));
    lines.emplace_back(std::move(cells));
  }
  const auto total = static_cast<std::size_t>(
      std::count_if(how.begin(), how.end(), [](const merit& x) { return !std::isnan(x.score); }));
  const auto sampled = lines.size() < total;
  return value{object{{"metric", wish->metric},
                      {"mode", wish->maximise ? "max" : "min"},
                      {"axes", std::move(axes)},
                      {"metric_axis", std::move(last)},
                      {"lines", std::move(lines)},
                      {"total", number_value(total)},
                      {"sampled", sampled}}};
}

view_answer pareto(watched_experiment& from, const view_request& what) {
  query_reader query{what};
  const auto limit = query.number("limit", 5000, 10, 20'000);
  if (query.fault())
    return *query.fault();
  auto seen = from.look();
  if (!seen)
    return fault_of(seen.error());
  const auto& trials = (*seen)->trials;
  const auto& by = trials.by().objectives;
  const auto on_front = front_of(trials);
  std::vector<merit> how;
  for (const auto& x : trials.lines())
    how.push_back(x.how);
  std::set<std::size_t> places;
  value::list objectives, front, points;
  for (auto place : telling_trials(how, limit))
    places.insert(place);
  for (std::size_t i = 0; i < on_front.size(); ++i) {
    if (on_front[i])
      front.push_back(number_value(trials.lines()[i].trial.number));
    if (on_front[i])
      places.insert(i);
  }
  for (const auto& x : by)
    objectives.emplace_back(object{{"metric", x.metric}, {"mode", x.maximise ? "max" : "min"}});
  for (auto place : places) {
    value::list cells{number_value(trials.lines()[place].trial.number)};
    for (std::size_t k = 0; k < by.size(); ++k)
      cells.push_back(number_or_null(trials.objective(place, k)));
    cells.emplace_back(static_cast<bool>(on_front[place]));
    cells.emplace_back(trials.lines()[place].how.violation == 0);
    points.emplace_back(std::move(cells));
  }
  return value{object{{"objectives", std::move(objectives)},
                      {"front", std::move(front)},
                      {"points", std::move(points)}}};
}

view_answer importance(watched_experiment& from, const view_request& what) {
  query_reader query{what};
  importance_request asked;
  asked.directory = from.directory().string();
  asked.metric = query.text("metric");
  std::string metric = asked.metric;
  {
    auto seen = from.look();
    if (!seen)
      return fault_of(seen.error());
    if (metric.empty())
      metric = (*seen)->start->by.objectives.front().metric;
  }
  auto rows = importance_rows(asked);
  if (!rows && rows.error().code != ec::bad_option)
    return fault_of(rows.error());
  value::list all;
  value method;
  if (rows) {
    for (auto& x : *rows) {
      method = *x.find("by");
      object row{{"name", *x.find("parameter")}};
      for (const auto& [name, each] : x)
        row.set(name, each);
      all.emplace_back(std::move(row));
    }
  }
  return value{object{{"metric", metric},
                      {"method", std::move(method)},
                      {"parameters", std::move(all)},
                      {"note", rows ? std::string{} : to_text(rows.error())}}};
}

} // namespace tune::cli
