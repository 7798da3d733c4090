// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/event_lines.hpp"

#include "tune/io/json.hpp"

#include <set>
#include <utility>

namespace tune {

namespace {

double seconds_of(std::chrono::nanoseconds x) {
  return std::chrono::duration<double>(x).count();
}

object event_head(const log_place& where, const char* kind) {
  return {{"event", kind},
          {"seq", static_cast<std::int64_t>(where.seq)},
          {"time", seconds_of(where.at)},
          {"wall_ms", where.wall_ms}};
}

std::string line_of(object what) {
  return to_json(what) + "\n";
}

void add_trial(object& to, trial_id trial) {
  to.set("trial", static_cast<std::int64_t>(trial.number));
  to.set("trial_id", to_text(trial));
}

value::list objectives_in(const experiment_facts& of) {
  value::list result;
  for (const auto& x : of.objectives)
    result.push_back(object{{"metric", x.metric}, {"mode", x.maximise ? "max" : "min"}});
  return result;
}

} // namespace

std::string nodes_of(const lease& what) {
  std::set<std::string> seen;
  std::string result;
  for (const auto& x : what.bundles) {
    if (seen.insert(x.node).second)
      result += (result.empty() ? "" : ", ") + x.node;
  }
  return result;
}

namespace event_lines {

std::string opened(const log_place& where, const on::opened& what, const experiment_facts& of,
                   const std::string& directory) {
  auto result = event_head(where, "opened");
  result.set("version", event_lines_version);
  result.set("experiment", of.name);
  result.set("identity", of.identity);
  result.set("directory", directory);
  result.set("epoch", static_cast<std::int64_t>(what.epoch));
  result.set("created_ms", of.created_ms);
  result.set("objectives", objectives_in(of));
  object space;
  for (const auto& [name, text] : of.space)
    space.set(name, text);
  result.set("space", std::move(space));
  return line_of(std::move(result));
}

std::string created(const log_place& where, const trial_facts& what) {
  auto result = event_head(where, "created");
  add_trial(result, what.trial);
  result.set("origin", what.origin);
  return line_of(std::move(result));
}

std::string started(const log_place& where, const on::placed& what, const object& config) {
  auto result = event_head(where, "started");
  add_trial(result, what.trial);
  result.set("attempt", to_text(what.attempt));
  result.set("node", nodes_of(what.what));
  result.set("config", config);
  return line_of(std::move(result));
}

std::string reported(const log_place& where, const report& what) {
  auto result = event_head(where, "reported");
  add_trial(result, what.trial);
  result.set("attempt", to_text(what.attempt));
  result.set("training_iteration", static_cast<std::int64_t>(what.iteration));
  result.set("time_this_iter_s", seconds_of(what.time_this_iter));
  result.set("time_total_s", seconds_of(what.time_total));
  result.set("timestamp_ms", what.timestamp_ms);
  result.set("done", what.done);
  result.set("metrics", what.metrics == nullptr ? object{} : *what.metrics);
  return line_of(std::move(result));
}

std::string saved(const log_place& where, const on::saved& what) {
  auto result = event_head(where, "saved");
  add_trial(result, what.trial);
  result.set("attempt", to_text(what.attempt));
  result.set("training_iteration", static_cast<std::int64_t>(what.iteration));
  result.set("location", what.location);
  result.set("bytes", static_cast<std::int64_t>(what.bytes));
  return line_of(std::move(result));
}

std::string ended(const log_place& where, const on::ended& what) {
  auto result = event_head(where, "ended");
  add_trial(result, what.trial);
  result.set("attempt", to_text(what.attempt));
  result.set("outcome", std::string{to_text(what.how)});
  result.set("detail", what.detail);
  if (what.exit_status)
    result.set("exit_status", std::int64_t{*what.exit_status});
  return line_of(std::move(result));
}

std::string concluded(const log_place& where, const trial_facts& what) {
  auto result = event_head(where, "concluded");
  add_trial(result, what.trial);
  result.set("status", std::string{to_text(what.status)});
  result.set("reason", what.reason);
  if (!what.error.empty())
    result.set("error", what.error);
  result.set("iterations", static_cast<std::int64_t>(what.iterations));
  if (what.best_metrics) {
    result.set("best_iteration", static_cast<std::int64_t>(what.best_iteration));
    result.set("best_metrics", *what.best_metrics);
  }
  return line_of(std::move(result));
}

std::string finished(const log_place& where, const experiment_end& how) {
  auto result = event_head(where, "finished");
  result.set("status", how.status);
  result.set("why", how.why);
  return line_of(std::move(result));
}

} // namespace event_lines

} // namespace tune
