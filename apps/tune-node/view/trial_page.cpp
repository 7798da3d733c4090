// SPDX-License-Identifier: BSD-3-Clause
#include "view/trial_page.hpp"

#include "inspect/story.hpp"
#include "inspect/story_json.hpp"
#include "tune/io/json.hpp"
#include "view/fields.hpp"
#include "view/sampling.hpp"
#include "view/trial_rows.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <system_error>

namespace tune::cli {

namespace {

namespace fs = std::filesystem;

template <class Row, class Make>
value list_value(const std::vector<Row>& rows, Make make) {
  value::list result;
  for (const auto& x : rows)
    result.emplace_back(make(x));
  return result;
}

/// The files in the trial's directory, with their sizes; links are not followed.
value artifacts_of(const fs::path& directory, trial_id trial) {
  constexpr std::size_t most = 1000;
  value::list result;
  std::error_code failed;
  const auto root = directory / "trials" / to_text(trial);
  if (fs::is_symlink(fs::symlink_status(root, failed)))
    return result;
  fs::recursive_directory_iterator i{root, failed};
  for (std::size_t seen = 0; !failed && i != fs::recursive_directory_iterator{} && seen < 10 * most;
       i.increment(failed), ++seen) {
    const auto name = i->path().lexically_relative(root).string();
    // Checkpoints are listed by themselves.
    if (i->is_directory(failed) && name.starts_with("checkpoint_"))
      i.disable_recursion_pending();
    std::error_code ignored;
    if (i->is_symlink(ignored) || !i->is_regular_file(ignored))
      continue;
    const auto bytes = i->file_size(ignored);
    result.emplace_back(object{{"path", name}, {"bytes", number_value(ignored ? 0 : bytes)}});
    if (result.size() == most)
      break;
  }
  return result;
}

/// The story as `tune-node trials --why` tells it, without what takes a replay of the record, which
/// is asked for apart.
value why_of(const trial_story& story, const objective& first) {
  auto read = object_from_json(story_json(story, first));
  if (!read)
    return {};
  read->erase("suggestion");
  return value{std::move(*read)};
}

object page_object(const trial_story& story, const std::string& node, const decision_times& times) {
  auto result = row_object(story.trial, node);
  result.set("attempts", list_value(story.attempts, attempt_object));
  result.set("checkpoints", list_value(story.checkpoints, checkpoint_object));
  result.set("decisions", list_value(story.decisions, [&](const decision_row& x) {
               return decision_object(x, times);
             }));
  result.set("exports", list_value(story.exports, export_object));
  return result;
}

/// The reports of a trial as columns of numbers.
struct report_table {
  std::vector<std::string> metrics;
  struct row {
    std::uint64_t iteration = 0;
    double at = 0;
    double time_total = 0;
    std::vector<double> values;
  };
  std::vector<row> rows;
};

/// The names of the metrics of a trial: those of its last report that are numbers.
std::vector<std::string> metrics_of(const object& last) {
  std::vector<std::string> result;
  for (const auto& [name, each] : last) {
    if (each.number())
      result.push_back(name);
    else if (const auto* inner = each.as_object())
      for (const auto& deep : metrics_of(*inner))
        result.push_back(name + "/" + deep);
  }
  return result;
}

expected<report_table> reports_of(store_reader& from, trial_id trial,
                                  std::vector<std::string> metrics) {
  report_table result{std::move(metrics), {}};
  auto read = from.scan_results_of(trial, [&](const raw_result& x) {
    report_table::row row{x.iteration, seconds_of(x.at), seconds_of(x.time_total), {}};
    for (const auto& name : result.metrics)
      row.values.push_back(metric_in(x, name).value_or(no_number));
    result.rows.push_back(std::move(row));
  });
  if (!read)
    return read.error();
  return result;
}

value table_value(const report_table& from, std::size_t most) {
  std::set<std::size_t> places;
  for (std::size_t i = 0; i < from.metrics.size(); ++i) {
    std::vector<double> values;
    for (const auto& row : from.rows)
      values.push_back(row.values[i]);
    const auto share = std::max<std::size_t>(most / from.metrics.size(), 4);
    for (auto place : telling_places(values, share))
      places.insert(place);
  }
  value::list columns{"training_iteration", "t", "time_total_s"};
  for (const auto& name : from.metrics)
    columns.emplace_back(name);
  value::list rows;
  for (auto place : places) {
    const auto& row = from.rows[place];
    value::list cells{number_value(row.iteration), row.at, row.time_total};
    for (auto each : row.values)
      cells.push_back(number_or_null(each));
    rows.emplace_back(std::move(cells));
  }
  const auto sampled = places.size() < from.rows.size();
  return object{{"columns", std::move(columns)},
                {"rows", std::move(rows)},
                {"total", number_value(from.rows.size())},
                {"sampled", sampled}};
}

/// Looks for clients' pauses only where there may be some, since that takes reading all events.
expected<void> tell_what_it_waits_for(trial_story& of, watched_experiment& from) {
  const auto status = of.trial.status;
  if (is_final(status))
    return {};
  const auto live = from.live();
  if (status == trial_status::pending && live.status)
    of.waits_for = live.status->waits_for;
  auto waits = from.with_reader([&](store_reader& x) -> expected<bool> {
    auto done = tell_if_scheduler_holds(of, x);
    return done ? expected<bool>{true} : done.error();
  });
  if (!waits)
    return waits.error();
  if (live.status && live.status->held == 0)
    return {};
  auto told = from.with_reader([&](store_reader& x) -> expected<bool> {
    auto done = tell_who_holds(of, x, "a client unpauses it");
    return done ? expected<bool>{true} : done.error();
  });
  return told ? expected<void>{} : told.error();
}

view_fault no_trial(trial_id trial) {
  return not_found("there is no trial " + to_text(trial));
}

} // namespace

view_answer trial_page_of(watched_experiment& from, trial_id trial) {
  comparing_rules by;
  {
    auto seen = from.look();
    if (!seen)
      return fault_of(seen.error());
    by = (*seen)->start->by;
  }
  std::string node;
  auto story = from.with_reader([&](store_reader& x) {
    if (auto last = x.last_node(trial))
      node = *last;
    return read_story(x, trial, by.objectives.front(), by.constraints);
  });
  if (!story)
    return fault_of(story.error());
  if (!*story)
    return no_trial(trial);
  if (auto told = tell_what_it_waits_for(**story, from); !told)
    return fault_of(told.error());
  auto times = from.with_reader([&](store_reader& x) { return times_of(x, (*story)->decisions); });
  if (!times)
    return fault_of(times.error());
  auto result = page_object(**story, node, *times);
  result.set("artifacts", artifacts_of(from.directory(), trial));
  result.set("why", why_of(**story, by.objectives.front()));
  return value{std::move(result)};
}

view_answer trial_results(watched_experiment& from, trial_id trial, const view_request& what) {
  query_reader query{what};
  const auto most = query.number("points", 500, 4, 10'000);
  const auto metric = query.text("metric");
  if (query.fault())
    return *query.fault();
  auto row = from.with_reader([&](store_reader& x) { return x.trial(trial); });
  if (!row)
    return fault_of(row.error());
  if (!*row)
    return no_trial(trial);
  constexpr std::size_t most_metrics = 100;
  auto metrics = metric.empty() ? metrics_of((*row)->metrics.value_or(object{}))
                                : std::vector<std::string>{metric};
  metrics.resize(std::min(metrics.size(), most_metrics));
  auto table
      = from.with_reader([&](store_reader& x) { return reports_of(x, trial, std::move(metrics)); });
  if (!table)
    return fault_of(table.error());
  return table_value(*table, most);
}

} // namespace tune::cli
