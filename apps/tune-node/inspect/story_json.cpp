// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/story_json.hpp"

#include "tune/io/json.hpp"

namespace tune::cli {
namespace {

template <class T>
value count(T x) {
  return static_cast<std::int64_t>(x);
}

value seconds_or_null(std::optional<instant> x) {
  return x ? value{std::chrono::duration<double>{*x}.count()} : value{};
}

object json_of(const attempt_row& x) {
  object result;
  result.set("attempt", to_text(x.attempt));
  result.set("lineage", count(x.lineage));
  result.set("node", x.node);
  result.set("checkpoint", x.from ? count(x.from.number) : value{});
  result.set("donor", x.donor ? value{to_text(*x.donor)} : value{});
  result.set("started_s", seconds_or_null(x.began));
  result.set("ended_s", seconds_or_null(x.finished));
  result.set("end", x.finished ? value{to_text(x.how)} : value{});
  result.set("exit_status", x.exit_status ? count(*x.exit_status) : value{});
  result.set("detail", x.detail);
  result.set("costs", x.costs != nullptr ? value{*x.costs} : value{});
  return result;
}

object json_of(const decision_row& x) {
  object result;
  result.set("seq", count(x.seq));
  result.set("attempt", to_text(x.attempt));
  result.set("iteration", count(x.iteration));
  result.set("action", x.action);
  result.set("reason", x.reason);
  return result;
}

object json_of(const checkpoint_row& x) {
  object result;
  result.set("checkpoint", count(x.checkpoint.number));
  result.set("iteration", count(x.iteration));
  result.set("location", x.location);
  result.set("bytes", count(x.bytes));
  result.set("state", x.state);
  result.set("detail", x.detail);
  return result;
}

object json_of(const export_row& x) {
  object result;
  result.set("attempt", x.attempt);
  result.set("format", x.format);
  result.set("path", x.path.empty() ? value{} : value{x.path});
  result.set("why", x.why);
  return result;
}

} // namespace

object to_object(const saved_report& x) {
  const auto& [row, at] = x;
  object result;
  result.set("checkpoint", count(row.checkpoint.number));
  result.set("location", row.location);
  result.set("trial", to_text(row.trial));
  result.set("iteration", count(row.iteration));
  result.set("metrics", at != nullptr && at->metrics != nullptr ? value{*at->metrics} : value{});
  return result;
}

namespace {

template <class Row>
value json_list(const std::vector<Row>& rows) {
  value::list result;
  for (const auto& x : rows)
    result.emplace_back(json_of(x));
  return result;
}

} // namespace

std::string story_json(const trial_story& x, const objective& first) {
  const auto& trial = x.trial;
  object result;
  result.set("trial", to_text(trial.trial));
  result.set("status", to_text(trial.status));
  result.set("iterations", count(trial.iterations));
  result.set("config", trial.config);
  result.set("origin", trial.origin);
  result.set("suggestion", suggestion_json(x.suggestion, first));
  result.set("reason", trial.reason);
  if (!x.waits_for.empty())
    result.set("waits_for", x.waits_for);
  result.set("error", trial.error);
  result.set("failures", count(trial.failures));
  result.set("metrics", trial.metrics ? value{*trial.metrics} : value{});
  result.set("best_metrics", trial.best_metrics ? value{*trial.best_metrics} : value{});
  result.set("best_iteration", count(trial.best_iteration));
  result.set("best_config", trial.best_config    ? *trial.best_config
                            : trial.best_metrics ? value{trial.config}
                                                 : value{});
  result.set("best_checkpoint", x.best_checkpoint ? value{to_object(*x.best_checkpoint)} : value{});
  result.set("attempts", json_list(x.attempts));
  result.set("decisions", json_list(x.decisions));
  result.set("checkpoints", json_list(x.checkpoints));
  result.set("exports", json_list(x.exports));
  return to_json(result);
}

} // namespace tune::cli
