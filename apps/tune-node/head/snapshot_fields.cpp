// SPDX-License-Identifier: BSD-3-Clause
#include "head/snapshot_fields.hpp"

#include "tune/io/json.hpp"
#include "tune/io/resources_json.hpp"

#include <algorithm>
#include <memory>

namespace tune::cli {

namespace {

constexpr auto in_trial = "in a trial";

object to_object(const best_row& x, const std::vector<objective>& objectives, bool whole) {
  object result;
  result.set("trial", count_value(x.trial.number));
  result.set("config", x.config ? value{*x.config} : value{});
  auto part = x.metrics && !whole ? only_objectives(*x.metrics, objectives) : object{};
  result.set("metrics", metrics_text(whole || !x.metrics ? x.metrics.get() : &part));
  result.set("iteration", count_value(x.iteration));
  result.set("checkpoint", x.checkpoint);
  result.set("checkpoint_iteration", count_value(x.checkpoint_iteration));
  result.set("checkpoint_metrics", metrics_text(x.checkpoint_metrics.get()));
  result.set("status", status_number(x.status));
  auto runs = x.runs ? to_object(*x.runs) : object{};
  result.set("runs", metrics_text(x.runs ? &runs : nullptr));
  return result;
}

best_row read_best(const object& x, field_reader& faults) {
  field_reader from{x, "in the best trial"};
  best_row result;
  result.trial = trial_id{from.get_count("trial")};
  result.config = read_config(from, "config");
  result.metrics = read_metrics(from, "metrics");
  result.iteration = from.get_count("iteration");
  result.checkpoint = from.get<std::string>("checkpoint");
  result.checkpoint_iteration = from.get_count("checkpoint_iteration");
  result.checkpoint_metrics = read_metrics(from, "checkpoint_metrics");
  result.status = read_status(from, "status");
  if (auto runs = read_metrics(from, "runs"))
    result.runs = statistics_from(*runs);
  if (from.fault())
    faults.fail(from.fault()->detail);
  return result;
}

object to_object(const listed_trial& x) {
  object result;
  result.set("trial", count_value(x.trial.number));
  result.set("status", status_number(x.status));
  result.set("iterations", count_value(x.iterations));
  object values;
  for (std::size_t i = 0; i < x.objectives.size(); ++i)
    values.set(std::to_string(i), x.objectives[i]);
  result.set("objectives", metrics_text(&values));
  result.set("config", x.config ? value{*x.config} : value{});
  result.set("reason", x.reason);
  result.set("failures", count_value(x.failures));
  result.set("age", nanoseconds_value(x.age));
  return result;
}

listed_trial read_listed(const object& x, field_reader& faults) {
  field_reader from{x, in_trial};
  listed_trial result;
  result.trial = trial_id{from.get_count("trial")};
  result.status = read_status(from, "status");
  result.iterations = from.get_count("iterations");
  if (auto values = read_metrics(from, "objectives")) {
    for (const auto& [place, what] : *values)
      result.objectives.push_back(what);
  }
  result.config = read_config(from, "config");
  result.reason = from.get<std::string>("reason");
  result.failures = static_cast<std::uint32_t>(from.get_count("failures"));
  result.age = read_nanoseconds(from, "age");
  if (from.fault())
    faults.fail(from.fault()->detail);
  return result;
}

value::list written(const std::vector<objective>& xs) {
  value::list result;
  for (const auto& x : xs)
    result.emplace_back(object{{"metric", x.metric}, {"maximise", x.maximise}});
  return result;
}

/// Empty if there are none.
constraint_list read_constraints(field_reader& from) {
  auto text = from.get_if<std::string>("constraints");
  auto result = parse_constraints(text.value_or(std::string{}));
  if (!result) {
    from.fail("constraints: " + result.error().detail);
    return {};
  }
  return std::move(*result);
}

std::vector<objective> read_objectives(field_reader& from) {
  std::vector<objective> result;
  for (const auto& x : from.get<value::list>("objectives")) {
    const auto* fields = x.as_object();
    if (fields == nullptr) {
      from.fail("objectives has a wrong type");
      return result;
    }
    field_reader inner{*fields, "in an objective"};
    result.push_back({inner.get<std::string>("metric"), inner.get<bool>("maximise")});
    if (inner.fault())
      from.fail(inner.fault()->detail);
  }
  if (result.empty())
    from.fail("objectives is empty");
  return result;
}

void read_counts(field_reader& from, run_snapshot& to) {
  auto counts = from.get<value::list>("counts");
  if (counts.size() != to.counts.size())
    return from.fail("counts has a wrong length");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (const auto* number = counts[i].as_int())
      to.counts[i] = static_cast<std::uint64_t>(*number);
    else
      from.fail("counts has a wrong type");
  }
}

} // namespace

value metrics_text(const object* x) {
  return x == nullptr ? value{} : value{to_json(*x)};
}

metrics_ptr read_metrics(field_reader& from, std::string_view name) {
  auto text = from.get_if<std::string>(name);
  if (!text)
    return nullptr;
  auto read = object_from_json(*text, json_position::metric);
  if (read)
    return std::make_shared<const object>(std::move(*read));
  from.fail(std::string{name} + ": " + read.error().detail);
  return nullptr;
}

config_ptr read_config(field_reader& from, std::string_view name) {
  auto read = from.get_if<object>(name);
  return read ? std::make_shared<const object>(std::move(*read)) : nullptr;
}

value status_number(trial_status x) {
  return value{static_cast<std::int64_t>(x)};
}

trial_status read_status(field_reader& from, std::string_view name) {
  auto number = from.get_count(name);
  if (number < trial_status_count)
    return static_cast<trial_status>(number);
  from.fail(std::string{name} + " is no status");
  return trial_status::pending;
}

object only_objectives(const object& metrics, const std::vector<objective>& objectives) {
  object result;
  for (const auto& x : objectives) {
    auto member = x.metric.substr(0, x.metric.find('/'));
    for (const auto& name : {x.metric, member}) {
      if (const auto* found = metrics.find(name))
        result.set(name, *found);
    }
  }
  return result;
}

namespace {

value written(const std::vector<failure_group>& groups) {
  value::list result;
  for (const auto& x : groups) {
    value::list trials;
    for (auto id : x.trials)
      trials.push_back(count_value(id.number));
    result.emplace_back(
        object{{"class", x.kind}, {"text", x.text}, {"trials", value{std::move(trials)}}});
  }
  return value{std::move(result)};
}

/// Reads trial numbers; complains about anything else.
std::vector<trial_id> read_trials(const value::list& from, field_reader& faults) {
  std::vector<trial_id> result;
  for (const auto& x : from) {
    if (const auto* number = x.as_int(); number != nullptr && *number >= 0)
      result.push_back({static_cast<std::uint64_t>(*number)});
    else
      faults.fail("trials has a wrong type");
  }
  return result;
}

/// Reads the parts that only an end has; older heads send none of them.
void read_look_back(field_reader& from, run_snapshot& to) {
  for (const auto& x : from.get_if<value::list>("failures").value_or(value::list{})) {
    if (x.as_object() == nullptr)
      return from.fail("failures has a wrong type");
    field_reader inner{*x.as_object(), "in a group of failures"};
    failure_group group{inner.get<std::string>("class"), inner.get<std::string>("text"), {}};
    group.trials = read_trials(inner.get<value::list>("trials"), from);
    if (inner.fault() || group.trials.empty())
      return from.fail(inner.fault() ? inner.fault()->detail : "a group of failures is empty");
    to.failures.push_back(std::move(group));
  }
  for (const auto& x : from.get_if<value::list>("remarks").value_or(value::list{})) {
    if (x.as_string() == nullptr)
      return from.fail("remarks has a wrong type");
    to.remarks.push_back(*x.as_string());
  }
  for (const auto& x : from.get_if<value::list>("pareto").value_or(value::list{})) {
    if (x.as_object() == nullptr)
      return from.fail("pareto has a wrong type");
    field_reader inner{*x.as_object(), "in the Pareto front"};
    front_row row{trial_id{inner.get_count("trial")}, {}};
    if (auto values = read_metrics(inner, "objectives"))
      for (const auto& [place, what] : *values)
        row.objectives.push_back(what);
    if (inner.fault() || row.objectives.size() != to.objectives.size())
      return from.fail(inner.fault() ? inner.fault()->detail : "pareto has a wrong length");
    to.pareto.push_back(std::move(row));
  }
}

value written(const std::vector<front_row>& front) {
  value::list result;
  for (const auto& x : front) {
    object values;
    for (std::size_t i = 0; i < x.objectives.size(); ++i)
      values.set(std::to_string(i), x.objectives[i]);
    result.emplace_back(
        object{{"trial", count_value(x.trial.number)}, {"objectives", metrics_text(&values)}});
  }
  return value{std::move(result)};
}

} // namespace

object to_object(const run_snapshot& x, bool whole) {
  object result;
  result.set("experiment", x.experiment);
  result.set("directory", x.directory);
  result.set("objectives", value{written(x.objectives)});
  if (!x.constraints.empty())
    result.set("constraints", to_text(x.constraints));
  if (!x.object_parameters.empty())
    result.set("object_parameters",
               value::list{x.object_parameters.begin(), x.object_parameters.end()});
  value::list counts;
  for (auto count : x.counts)
    counts.push_back(count_value(count));
  result.set("counts", value{std::move(counts)});
  if (x.withdrawn > 0)
    result.set("withdrawn", count_value(x.withdrawn));
  result.set("planned", x.planned ? count_value(*x.planned) : value{});
  result.set("elapsed", nanoseconds_value(x.elapsed));
  result.set("time_limit", nanoseconds_value(x.time_limit));
  result.set("best", x.best ? value{to_object(*x.best, x.objectives, whole)} : value{});
  result.set("used", value{to_object(x.used)});
  result.set("total", value{to_object(x.total)});
  result.set("nodes", count_value(x.nodes));
  if (x.leaving > 0)
    result.set("leaving", count_value(x.leaving));
  result.set("exports_made", count_value(x.exports.made));
  result.set("exports_failed", count_value(x.exports.failed));
  result.set("exports_why", x.exports.why);
  value::list trials;
  for (const auto& trial : x.trials)
    trials.emplace_back(to_object(trial));
  result.set("trials", value{std::move(trials)});
  if (whole) {
    result.set("failures", written(x.failures));
    result.set("remarks", value::list{x.remarks.begin(), x.remarks.end()});
    result.set("pareto", written(x.pareto));
  }
  return result;
}

run_snapshot read_snapshot(const object& x, field_reader& faults) {
  field_reader from{x, "in a snapshot"};
  run_snapshot result;
  result.experiment = from.get<std::string>("experiment");
  result.directory = from.get<std::string>("directory");
  result.objectives = read_objectives(from);
  result.constraints = read_constraints(from);
  for (const auto& name : from.get_if<value::list>("object_parameters").value_or(value::list{})) {
    if (name.as_string() == nullptr)
      from.fail("object_parameters has a wrong type");
    else
      result.object_parameters.push_back(*name.as_string());
  }
  read_counts(from, result);
  if (auto withdrawn = from.get_if<std::int64_t>("withdrawn"))
    result.withdrawn = static_cast<std::uint64_t>(*withdrawn);
  if (auto planned = from.get_if<std::int64_t>("planned"))
    result.planned = static_cast<std::uint64_t>(*planned);
  result.elapsed = read_nanoseconds(from, "elapsed");
  result.time_limit = read_nanoseconds(from, "time_limit");
  if (auto best = from.get_if<object>("best"))
    result.best = read_best(*best, from);
  result.exports.made = from.get_count("exports_made");
  result.exports.failed = from.get_count("exports_failed");
  result.exports.why = from.get<std::string>("exports_why");
  result.used = read_resources(from, "used");
  result.total = read_resources(from, "total");
  result.nodes = static_cast<std::uint32_t>(from.get_count("nodes"));
  if (auto leaving = from.get_if<std::int64_t>("leaving"))
    result.leaving = static_cast<std::uint32_t>(*leaving);
  for (const auto& trial : from.get<value::list>("trials")) {
    if (const auto* fields = trial.as_object())
      result.trials.push_back(read_listed(*fields, from));
    else
      from.fail("trials has a wrong type");
  }
  read_look_back(from, result);
  if (from.fault())
    faults.fail(from.fault()->detail);
  return result;
}

} // namespace tune::cli
