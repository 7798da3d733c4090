// SPDX-License-Identifier: BSD-3-Clause
#include "serve/answer_shapes.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tune::cli {

namespace {

/// An object with the members that it has. They are written as `name:type`, `name?:type` where one
/// may be absent, and `+shape` for all those of another shape. A type is the name of a shape or of
/// a plain one below; `a|b` is either of them, `a|null` may be null, `a[]` is a list.
struct shape {
  const char* name;
  const char* members;
};

constexpr shape shapes[] = {
    {"problem", "type:text title:text status:whole detail:text code:text"},
    {"fault", "status:whole code:text detail:text"},
    {"health", "status:text"},
    {"version", "version:text api:text"},

    {"tally", "pending:count running:count paused:count terminated:count errored:count total:count"
              " withdrawn:count"},
    {"statistics", "judge:text value:number|null mean:number|null error:number|null count:count"
                   " wanted:count full:bool confirmed:bool mean_in_search:number|null"
                   " violation:number"},
    {"best", "trial:count trial_id:text value:figure iteration:count status:text"
             " violation:number runs:statistics|null best_checkpoint?:best_checkpoint|null"},
    {"objective", "metric:text mode:text"},
    {"domain", "kind:text text:text low?:number high?:number log?:bool quantum?:number"
               " mean?:number sd?:number values?:any[]"},
    {"parameter", "name:text domain:domain conditional:bool"},
    {"resources", "cpu:number gpu:number memory:count custom:numbers"},
    {"usage", "total:resources used:resources"},
    {"allocation", "user:text priority:whole share:number running:count cpu:number gpu:number"
                   " memory:count waiting:count place:count stands_aside:bool made_room:count"
                   " made_room_for:text quota:quota|null"},
    {"quota", "cpu?:part gpu?:part memory?:part trials?:part"},
    {"part", "used:number total:number"},
    {"node", "node:text state:text capacity:resources since:number why:text labels:text[]"
             " taints:text[]"},
    {"scheduler", "type:text line:text"},
    {"search", "type:text"},
    {"short_experiment",
     "name:text status:text why:text live:bool created_ms:whole elapsed_s:number trials:tally"
     " planned:count|null metric:text mode:text best:best|null spark:number[]"},
    {"unread_experiment", "name:text problem:fault"},
    {"experiment",
     "+short_experiment epoch:count seed:count last_seq:count spec:names objectives:objective[]"
     " constraints:text repeats:bool search:search parameters:parameter[] scheduler:scheduler"
     " waits_for:text|null allocation:allocation|null paused:bool held:count|null"
     " resources:usage|null nodes:node[] metrics:text[] summary_text:text eta_s:number|null"},
    {"experiments", "experiments:short_experiment|unread_experiment[] next_cursor:text|null"},

    {"trial_row",
     "trial:count trial_id:text status?:text config?:names origin?:text iterations?:count"
     " time_total_s?:number metrics?:names|null best_iteration?:count|null best_metrics?:names|null"
     " best_config?:names|null reason?:text error?:text failures?:count lineage?:count"
     " node?:text|null created?:number ended?:number|null"},
    {"trials", "trials:trial_row[] next_cursor:text|null total:count"},
    {"attempt",
     "trial:count attempt:text lineage:count node:text|null checkpoint:count|null donor:count|null"
     " config:names|null pid:whole started:number ended:number|null end_class:text|null"
     " exit_status:whole|null detail:text costs:numbers|null"},
    {"checkpoint",
     "checkpoint:count|null trial:count attempt:text training_iteration:count time_total_s:number"
     " location:text bytes:count state:text detail:text seq:count t:number"},
    {"decision",
     "seq:count t:number|null trial:count attempt:text|null training_iteration:count action:text"
     " reason:names text:text"},
    {"export", "attempt:whole format:text path:text|null why:text seq:count"},
    {"artifact", "path:text bytes:count"},
    {"told_attempt",
     "attempt:text lineage:whole node:text checkpoint:whole|null donor:text|null"
     " started_s:number|null ended_s:number|null end:text|null exit_status:whole|null detail:text"
     " costs:numbers|null"},
    {"told_decision", "seq:whole attempt:text iteration:whole action:text reason:names"},
    {"told_checkpoint",
     "checkpoint:whole iteration:whole location:text bytes:whole state:text detail:text"},
    {"told_export", "attempt:whole format:text path:text|null why:text"},
    {"best_checkpoint",
     "checkpoint:whole location:text trial:text iteration:whole metrics:names|null"},
    {"story",
     "trial:text status:text iterations:whole config:names origin:text reason:text waits_for?:text"
     " error:text failures:whole metrics:names|null best_metrics:names|null best_iteration:whole"
     " best_config:names|null best_checkpoint:best_checkpoint|null attempts:told_attempt[]"
     " decisions:told_decision[] checkpoints:told_checkpoint[] exports:told_export[]"},
    {"trial", "+trial_row attempts:attempt[] checkpoints:checkpoint[] decisions:decision[]"
              " exports:export[] artifacts:artifact[] why:story|null"},
    {"results", "columns:text[] rows:list[] total:count sampled:bool"},
    {"predicted", "metric:text mean:number deviation:number best:number"
                  " expected_improvement:number"},
    {"neighbour", "trial:text|null distance:number correlation:number|null value:number|null"
                  " estimated:bool known?:whole"},
    {"explanation",
     "unknown?:text by?:text results?:whole predicted?:predicted|null nearest?:neighbour|null"
     " parents?:text[] details?:names same?:bool"},
    {"suggestion", "trial:count trial_id:text suggestion:explanation|null"},
    {"log", "text:text offset:whole next_offset:whole bytes:whole eof:bool"},

    {"curve",
     "trial:count status:text stopped_at:number|null cut_off_at:number|null points:point[]"},
    {"curves", "metric:text curves:curve[] total:count"},
    {"history", "metric:text mode:text is_objective:bool judge:text|null at_best_of:text|null"
                " best_over_trials:point[] values:list[] best_over_time:point[] total:count"},
    {"rung", "at:number cutoff:number|null entered:count went_on:count waits:count stopped:count"
             " values:list[]"},
    {"bracket", "band:whole|null bracket:whole rungs:rung[]"},
    {"cost", "spent_s:number without_stopping_s:number|null iterations:count"
             " iterations_without:count|null"},
    {"rungs", "kind:text brackets:bracket[] cost:cost"},
    {"axis", "name:text kind:text log:bool low:number|null high:number|null values:list|null"},
    {"parallel", "metric:text mode:text axes:axis[] metric_axis:axis lines:list[] total:count"
                 " sampled:bool"},
    {"judged",
     "name:text parameter:text importance:number|null effect?:number|null evidence?:number|null"
     " chance?:number|null divergence?:number|null by_chance?:number|null"
     " more_than_chance:bool|null from:number|text|bool|null to:number|text|bool|null"
     " configs:whole best:whole by:text"},
    {"importance", "metric:text method:text|null parameters:judged[] note:text"},
    {"pareto", "objectives:objective[] front:count[] points:list[]"},
    {"place", "node:text state:text"},
    {"bar", "trial:count attempt:text node:text started:number ended:number|null"
            " end_class:text|null lineage:count"},
    {"absence", "node:text from:number to:number|null why:text"},
    {"timeline", "nodes:place[] attempts:bar[] down:absence[] total:count sampled:bool"},
    {"line_of_state", "trial:count lineage:count started:number config:names|null"},
    {"exploit", "t:number trial:count donor:count training_iteration:count before:names|null"
                " after:names|null"},
    {"lineage", "nodes:line_of_state[] exploits:exploit[] total:count"},
    {"decisions", "decisions:decision[] next_seq:count more:bool"},
    {"busy_node", "+node running:count used:resources|null"},
    {"nodes", "nodes:busy_node[] live:bool"},
    {"checkpoints", "checkpoints:checkpoint[] next_cursor:text|null"},
    {"event", "seq:count t:number kind:text body:any"},
    {"events", "events:event[] next_seq:count next_cursor:text|null"},
    {"change",
     "last_seq:count created_ms:whole counts:tally best:best|null changed:count[] more_changed:bool"
     " kinds:counts live:bool status:text at_ms:whole"},

    {"verdict", "trial:text|null outcome:text text:text"},
    {"told", "told:verdict[]"},
    {"submitted", "experiment:text planned:count|null warnings:text[]"},
    {"from", "trial:text iteration:whole checkpoint?:text|null"},
    {"other", "trial:text decision:text reason:text"},
    {"talk",
     "op:text trial?:text|null attempt?:whole config?:names|null resume?:bool from?:from|null"
     " reason?:text decision?:text retry?:bool outcome?:text metrics?:names|null iteration?:whole"
     " status?:text checkpoint?:text|null checkpoint_iteration?:whole|null"
     " checkpoint_metrics?:names|null violation?:number runs?:statistics|null counts?:counts"
     " succeeded?:whole finished?:bool others?:other[]"}};

object of_type(const char* type) {
  return {{"type", type}};
}

object list_of(object items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

object reference_to(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string{name}}};
}

object open_object(object values, const char* meaning) {
  return {
      {"type", "object"}, {"additionalProperties", std::move(values)}, {"description", meaning}};
}

object either_of(std::vector<object> all) {
  value::list choices;
  for (auto& x : all)
    choices.emplace_back(std::move(x));
  return {{"anyOf", std::move(choices)}};
}

object digits(const char* meaning, const char* pattern, object number) {
  auto result = either_of({std::move(number), {{"type", "string"}, {"pattern", pattern}}});
  result.set("description", meaning);
  return result;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const auto end = std::min(text.find(at), text.size());
    if (end > 0)
      result.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

object schema_of_type(std::string_view type) {
  if (type.ends_with("[]"))
    return list_of(schema_of_type(type.substr(0, type.size() - 2)));
  std::vector<object> choices;
  for (auto each : split(type, '|'))
    choices.push_back(each == "any" ? object{} : reference_to(each));
  return choices.size() == 1 ? std::move(choices.front()) : either_of(std::move(choices));
}

/// What the types are that are no objects with members of their own.
std::map<std::string, object, std::less<>> plain_types() {
  std::map<std::string, object, std::less<>> result{
      {"text", of_type("string")}, {"bool", of_type("boolean")}, {"any", object{}}};
  result["whole"] = {{"type", "integer"}, {"format", "int64"}};
  result["count"] = digits("from 0 on; beyond 2^53 the text of its digits", "^[0-9]+$",
                           {{"type", "integer"}, {"format", "int64"}, {"minimum", 0}});
  result["figure"] = digits("a number; a whole one beyond 2^53 as the text of its digits",
                            "^(-?[0-9]+|nan|inf|-inf)$", of_type("number"));
  result["number"] = either_of(
      {of_type("number"), {{"type", "string"}, {"enum", value::list{"nan", "inf", "-inf"}}}});
  result["names"] = open_object({}, "values by names that the experiment chose");
  result["numbers"] = open_object(reference_to("number"), "numbers by name");
  result["counts"] = open_object(reference_to("count"), "counts by name");
  result["list"] = list_of({});
  // In OpenAPI 3.0 only what has a type can be null.
  result["null"] = {{"type", "string"}, {"nullable", true}, {"enum", value::list{value{}}}};
  result["point"] = list_of(schema_of_type("number|null"));
  result["point"].set("minItems", 2);
  result["point"].set("maxItems", 2);
  return result;
}

const char* members_of(std::string_view name) {
  for (const auto& x : shapes) {
    if (name == x.name)
      return x.members;
  }
  return "";
}

void add_members(std::string_view members, object& properties, value::list& required) {
  for (auto member : split(members, ' ')) {
    if (member.front() == '+') {
      add_members(members_of(member.substr(1)), properties, required);
      continue;
    }
    const auto colon = member.find(':');
    auto name = member.substr(0, colon);
    const auto is_optional = name.ends_with('?');
    if (is_optional)
      name.remove_suffix(1);
    else
      required.emplace_back(std::string{name});
    properties.set(std::string{name}, schema_of_type(member.substr(colon + 1)));
  }
}

object schema_of_shape(const shape& x) {
  object properties;
  value::list required;
  add_members(x.members, properties, required);
  object result{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty())
    result.set("required", std::move(required));
  result.set("additionalProperties", false);
  return result;
}

/// The routes whose shapes have other names than they.
const std::map<std::string_view, std::string_view>& shapes_by_route() {
  static const std::map<std::string_view, std::string_view> result{
      {"ready", "health"},       {"view_log", "events"},  {"logs", "log"},
      {"add", "told"},           {"trial_stop", "told"},  {"trial_pause", "told"},
      {"trial_unpause", "told"}, {"trial_retry", "told"}, {"stop", "told"},
      {"pause", "told"},         {"unpause", "told"},     {"ask", "talk"},
      {"tell", "talk"},          {"submit", "submitted"}};
  return result;
}

} // namespace

object answer_schemas() {
  object result;
  for (auto& [name, schema] : plain_types())
    if (name != "any")
      result.set(name, std::move(schema));
  for (const auto& x : shapes)
    result.set(x.name, schema_of_shape(x));
  return result;
}

object answer_schema(std::string_view route_id) {
  const auto found = shapes_by_route().find(route_id);
  auto name = found == shapes_by_route().end() ? route_id : found->second;
  if (name.starts_with("view_"))
    name.remove_prefix(5);
  if (route_id == "openapi")
    return open_object({}, "a description of the API, in OpenAPI 3.0");
  // What is no JSON has no shape: streams, files and texts.
  const auto is_json = route_id != "checkpoint" && route_id != "artifact" && route_id != "events";
  return is_json && *members_of(name) != '\0' ? reference_to(name) : object{};
}

object problem_schema() {
  return reference_to("problem");
}

} // namespace tune::cli
