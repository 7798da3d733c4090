// SPDX-License-Identifier: BSD-3-Clause
#include "view/trial_rows.hpp"

#include "view/fields.hpp"

#include <algorithm>

namespace tune::cli {

namespace {

value best_config_of(const trial_row& x) {
  if (x.best_config)
    return *x.best_config;
  return x.best_metrics ? value{x.config} : value{};
}

} // namespace

const std::vector<std::string>& row_fields() {
  static const auto result = [] {
    std::vector<std::string> names;
    for (const auto& [name, what] : row_object({}, {}))
      names.push_back(name);
    return names;
  }();
  return result;
}

object row_object(trial_row x, const std::string& node, const std::vector<std::string>& fields) {
  object result;
  auto add = [&](const char* name, auto make) {
    if (fields.empty() || std::find(fields.begin(), fields.end(), name) != fields.end())
      result.set(name, make());
  };
  auto best_config = best_config_of(x);
  result.set("trial", number_value(x.trial.number));
  result.set("trial_id", to_text(x.trial));
  add("status", [&] { return value{to_text(x.status)}; });
  add("config", [&] { return value{std::move(x.config)}; });
  add("origin", [&] { return value{std::move(x.origin)}; });
  add("iterations", [&] { return number_value(x.iterations); });
  add("time_total_s", [&] { return value{seconds_of(x.time_total)}; });
  add("metrics", [&] { return object_or_null(std::move(x.metrics)); });
  add("best_iteration",
      [&] { return x.best_iteration == 0 ? value{} : number_value(x.best_iteration); });
  add("best_metrics", [&] { return object_or_null(std::move(x.best_metrics)); });
  add("best_config", [&] { return std::move(best_config); });
  add("reason", [&] { return value{std::move(x.reason)}; });
  add("error", [&] { return value{std::move(x.error)}; });
  add("failures", [&] { return number_value(x.failures); });
  add("lineage", [&] { return number_value(x.lineage); });
  add("node", [&] { return text_or_null(node); });
  add("created", [&] { return value{seconds_of(x.created)}; });
  add("ended", [&] { return seconds_value(x.ended); });
  return result;
}

object attempt_object(const attempt_row& x) {
  object result;
  result.set("trial", number_value(x.trial.number));
  result.set("attempt", to_text(x.attempt));
  result.set("lineage", number_value(x.lineage));
  result.set("node", text_or_null(x.node));
  result.set("checkpoint", x.from ? number_value(x.from.number) : value{});
  result.set("donor", x.donor ? number_value(x.donor->number) : value{});
  result.set("config", x.config != nullptr ? value{*x.config} : value{});
  result.set("pid", x.pid);
  result.set("started", seconds_of(x.began));
  result.set("ended", seconds_value(x.finished));
  result.set("end_class", x.finished ? value{to_text(x.how)} : value{});
  result.set("exit_status",
             x.exit_status ? value{static_cast<std::int64_t>(*x.exit_status)} : value{});
  result.set("detail", x.detail);
  result.set("costs", x.costs != nullptr ? value{*x.costs} : value{});
  return result;
}

expected<decision_times> times_of(store_reader& from, const std::vector<decision_row>& rows) {
  decision_times result;
  for (const auto& x : rows) {
    if (x.seq == 0 || result.contains(x.seq))
      continue;
    auto read = from.scan_events(x.seq - 1, 1, [&](const raw_event& what) {
      if (what.seq == x.seq)
        result[x.seq] = what.at;
    });
    if (!read)
      return read.error();
    if (result.contains(x.seq))
      continue;
    // Stop conditions decide with the report itself.
    auto reported = from.scan_results(x.seq - 1, 1, [&](const raw_result& what) {
      if (what.seq == x.seq)
        result[x.seq] = what.at;
    });
    if (!reported)
      return reported.error();
  }
  return result;
}

object decision_object(const decision_row& x, const decision_times& times) {
  object result;
  const auto at = times.find(x.seq);
  result.set("seq", number_value(x.seq));
  result.set("t", at == times.end() ? value{} : value{seconds_of(at->second)});
  result.set("trial", number_value(x.trial.number));
  result.set("attempt", x.attempt ? value{to_text(x.attempt)} : value{});
  result.set("training_iteration", number_value(x.iteration));
  result.set("action", x.action);
  result.set("reason", x.reason);
  const auto* why = x.reason.find("why");
  const auto* rule = x.reason.find("rule");
  const auto* told = why != nullptr ? why : rule;
  result.set("text", told == nullptr ? std::string{} : to_text(*told));
  return result;
}

object checkpoint_object(const checkpoint_row& x) {
  object result;
  result.set("checkpoint", x.checkpoint ? number_value(x.checkpoint.number) : value{});
  result.set("trial", number_value(x.trial.number));
  result.set("attempt", to_text(x.attempt));
  result.set("training_iteration", number_value(x.iteration));
  result.set("time_total_s", seconds_of(x.time_total));
  result.set("location", x.location);
  result.set("bytes", number_value(x.bytes));
  result.set("state", x.state);
  result.set("detail", x.detail);
  result.set("seq", number_value(x.seq));
  result.set("t", seconds_of(x.at));
  return result;
}

object export_object(const export_row& x) {
  return {{"attempt", x.attempt},
          {"format", x.format},
          {"path", x.path.empty() ? value{} : value{x.path}},
          {"why", x.why},
          {"seq", number_value(x.seq)}};
}

} // namespace tune::cli
