// The history of the best: over the trials, and over time.
// SPDX-License-Identifier: BSD-3-Clause
#include "view/curves.hpp"
#include "view/fields.hpp"
#include "view/judged_runs.hpp"

#include <algorithm>
#include <cmath>

namespace tune::cli {

namespace {

/// A trial with its value: when it had it, and how good that is.
struct dated_value {
  std::size_t place = 0;
  double at = 0;
  double value = 0;
  merit how;
  /// Goes before `how`; less is better.
  std::size_t rank = 0;
};

bool is_better(const dated_value& x, const dated_value& than) {
  return x.rank != than.rank ? x.rank < than.rank : tune::is_better(x.how, than.how);
}

/// When the trial made its best report, as far as reports are followed, else when it ended.
double time_of_best(const experiment_summary& seen, const trial_line& x) {
  const auto when = seen.track ? seen.track->when_best(x.trial) : std::nullopt;
  return seconds_of(when ? *when : x.ended.value_or(x.created));
}

/// Best reports of the first objective, with the times when they were made.
std::vector<dated_value> values_of_first(const experiment_summary& seen) {
  std::vector<dated_value> result;
  const auto& lines = seen.trials.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::isnan(lines[i].how.score))
      continue;
    result.push_back({i, time_of_best(seen, lines[i]), seen.trials.objective(i, 0), lines[i].how});
  }
  return result;
}

/// What the runs of each configuration come to, at the newest of them.
std::vector<dated_value> values_of_runs(const experiment_summary& seen) {
  std::vector<dated_value> result;
  for (const auto& x : judged_configurations(seen.trials)) {
    double at = 0;
    for (auto place : x.places)
      at = std::max(at, time_of_best(seen, seen.trials.lines()[place]));
    result.push_back({x.places.back(), at, x.value, {}, x.rank});
  }
  return result;
}

/// The same of another metric, at each trial's best report; time is that of the trial's end.
std::vector<dated_value> values_of_column(const experiment_summary& seen, const column_name& name,
                                          bool maximise) {
  std::vector<dated_value> result;
  const auto* found = seen.trials.find(name);
  const auto& lines = seen.trials.lines();
  for (std::size_t i = 0; found != nullptr && i < lines.size(); ++i) {
    const auto number = found->at(i).number;
    if (std::isnan(number))
      continue;
    const auto at = lines[i].ended.value_or(lines[i].created);
    result.push_back(
        {i, seconds_of(at), number, {lines[i].how.violation, maximise ? number : -number}});
  }
  return result;
}

/// The steps at which the best changes, in the order given, with an end at `last`.
template <class X>
std::vector<point> best_steps(const std::vector<dated_value>& all, X x_of, double last) {
  std::vector<point> result;
  const dated_value* best = nullptr;
  for (const auto& x : all) {
    if (best != nullptr && !is_better(x, *best))
      continue;
    best = &x;
    result.emplace_back(x_of(x), x.value);
  }
  if (!result.empty() && result.back().first < last)
    result.emplace_back(last, result.back().second);
  return result;
}

value steps_value(const std::vector<point>& all, std::size_t most) {
  value::list result;
  for (const auto& [x, y] : telling_points(all, most))
    result.emplace_back(value::list{x, number_or_null(y)});
  return result;
}

value values_value(const experiment_summary& seen, const std::vector<dated_value>& all,
                   std::size_t most) {
  std::vector<double> values(all.size());
  std::transform(all.begin(), all.end(), values.begin(), [](const auto& x) { return x.value; });
  value::list result;
  for (auto i : telling_places(values, most)) {
    const auto& line = seen.trials.lines()[all[i].place];
    result.emplace_back(value::list{number_value(line.trial.number), all[i].at,
                                    number_or_null(all[i].value), to_text(line.status)});
  }
  return result;
}

/// Over time by the reports themselves, where they are followed.
std::vector<point> steps_of(const result_track& track, double last) {
  std::vector<point> result;
  for (const auto& x : track.steps())
    result.emplace_back(seconds_of(x.at), x.value);
  if (!result.empty() && result.back().first < last)
    result.emplace_back(last, result.back().second);
  return result;
}

/// The number of the newest trial that was not withdrawn.
double last_number(const trial_table& trials) {
  const auto& all = trials.lines();
  const auto found
      = std::find_if(all.rbegin(), all.rend(), [](const trial_line& x) { return !x.withdrawn; });
  return found == all.rend() ? 0.0 : static_cast<double>(found->trial.number);
}

/// The best so far over trials and over time.
/// @param by_reports Whether its times are those of the reports themselves, where they are
/// followed.
void add_steps(object& to, const experiment_summary& seen, std::vector<dated_value> all,
               std::size_t most, bool by_reports) {
  const auto& lines = seen.trials.lines();
  const auto elapsed = seconds_of(seen.head.elapsed);
  auto number_of
      = [&](const dated_value& x) { return static_cast<double>(lines[x.place].trial.number); };
  to.set("best_over_trials",
         steps_value(best_steps(all, number_of, last_number(seen.trials)), most));
  if (by_reports && seen.track) {
    to.set("best_over_time", steps_value(steps_of(*seen.track, elapsed), most));
    return;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& x, const auto& y) { return x.at < y.at; });
  auto time_of = [](const dated_value& x) { return x.at; };
  to.set("best_over_time", steps_value(best_steps(all, time_of, elapsed), most));
}

struct history_wish {
  std::string metric;
  bool is_first = true;
  bool maximise = true;
  bool is_objective = true;
};

expected<history_wish> metric_asked(watched_experiment& from, const std::string& name) {
  auto seen = from.look();
  if (!seen)
    return seen.error();
  const auto& all = (*seen)->start->by.objectives;
  history_wish result{name.empty() ? all.front().metric : name, true, all.front().maximise};
  result.is_first = result.metric == all.front().metric;
  result.is_objective = false;
  for (const auto& x : all) {
    if (x.metric != result.metric)
      continue;
    result.maximise = x.maximise;
    result.is_objective = true;
  }
  return result;
}

} // namespace

view_answer history(watched_experiment& from, const view_request& what) {
  query_reader query{what};
  const auto most = query.number("points", 1000, 4, 10'000);
  if (query.fault())
    return *query.fault();
  auto wish = metric_asked(from, query.text("metric"));
  if (!wish)
    return fault_of(wish.error());
  const column_name name{column_name::kind::best, wish->metric};
  auto seen = from.look(wish->is_first ? looking_for{{}, true} : looking_for{{name}, false});
  if (!seen)
    return fault_of(seen.error());
  auto all
      = wish->is_first ? values_of_first(**seen) : values_of_column(**seen, name, wish->maximise);
  const auto judges_runs = wish->is_first && (*seen)->start->by.repeats.is_on();
  object result{{"metric", wish->metric},
                {"mode", wish->maximise ? "max" : "min"},
                {"is_objective", wish->is_objective},
                {"judge", judges_runs ? value{to_text((*seen)->start->by.repeats.judge)} : value{}},
                {"at_best_of",
                 wish->is_first ? value{} : value{(*seen)->start->by.objectives.front().metric}}};
  result.set("values", values_value(**seen, all, most));
  result.set("total", number_value(all.size()));
  add_steps(result, **seen, judges_runs ? values_of_runs(**seen) : std::move(all), most,
            wish->is_first && !judges_runs);
  return value{std::move(result)};
}

} // namespace tune::cli
