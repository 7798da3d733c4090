// SPDX-License-Identifier: BSD-3-Clause
#include "serve/answer_shapes.hpp"
#include "serve/api_routes.hpp"

#include "tune/core/value.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <map>

namespace tune::cli {

namespace {

using http::access;
using http::method;
using http::parameter;
using http::route;

object schema_of(const parameter& x) {
  switch (x.what) {
    case parameter::kind::integer:
      return {{"type", "integer"}, {"format", "int64"}, {"minimum", x.least}, {"maximum", x.most}};
    case parameter::kind::flag:
      return {{"type", "boolean"}};
    case parameter::kind::choice: {
      value::list choices;
      for (const auto& choice : x.choices)
        choices.emplace_back(choice);
      return {{"type", "string"}, {"enum", std::move(choices)}};
    }
    case parameter::kind::text:
      break;
  }
  return {{"type", "string"}, {"maxLength", x.most}, {"pattern", "^[^\\x00]*$"}};
}

/// What a segment of a path may be.
object schema_of_segment(const std::string& name) {
  if (name == "trial" || name == "checkpoint")
    return {{"type", "string"}, {"pattern", "^[0-9]{1,18}$"}};
  return {{"type", "string"},
          {"minLength", 1},
          {"maxLength", 255},
          {"pattern", "^[^/\\\\\\x00-\\x1f\\x7f]+$"},
          {"not", object{{"enum", value::list{".", ".."}}}}};
}

/// The names of a pattern, without the marks of a rest.
std::vector<std::string> names_of(const std::string& pattern) {
  std::vector<std::string> result;
  for (auto open = pattern.find('{'); open != pattern.npos; open = pattern.find('{', open + 1)) {
    auto name = pattern.substr(open + 1, pattern.find('}', open) - open - 1);
    if (name.ends_with("..."))
      name.erase(name.size() - 3);
    result.push_back(std::move(name));
  }
  return result;
}

value::list parameters_of(const route& x) {
  value::list result;
  for (const auto& name : names_of(x.pattern))
    result.emplace_back(object{
        {"name", name}, {"in", "path"}, {"required", true}, {"schema", schema_of_segment(name)}});
  for (const auto& y : x.query)
    result.emplace_back(object{
        {"name", y.name}, {"in", "query"}, {"description", y.meaning}, {"schema", schema_of(y)}});
  return result;
}

/// The type of what a route answers where all is well.
std::string type_of(const route& x) {
  static const std::map<std::string, std::string> types{{"metrics", "text/plain"},
                                                        {"events", "text/event-stream"},
                                                        {"checkpoint", "application/x-tar"},
                                                        {"artifact", "application/octet-stream"},
                                                        {"page", "text/html"},
                                                        {"page_file", "*/*"},
                                                        {"page_asset", "*/*"}};
  const auto found = types.find(x.id);
  return found == types.end() ? "application/json" : found->second;
}

/// @param schema Empty: nothing is said of it.
object content_of(const std::string& type, object schema = {}) {
  object content, about;
  if (!schema.empty())
    about.set("schema", std::move(schema));
  content.set(type, std::move(about));
  return content;
}

std::vector<int> faults_of(const route& x) {
  std::vector<int> result{400, 403, 404, 414, 431, 503};
  if (x.who == access::token)
    result.insert(result.end(), {401, 429});
  // A record, or a file of a trial, that cannot be read.
  if (x.pattern.starts_with("/api/v1/experiments"))
    result.push_back(500);
  if (x.id == "session_begin")
    result.push_back(429);
  if (x.body > 0)
    result.insert(result.end(), {401, 409, 413, 415, 422, 504});
  if (x.id == "artifact")
    result.insert(result.end(), {206, 416});
  if (x.id == "checkpoint")
    result.insert(result.end(), {409, 410});
  if (x.id.starts_with("view_") || x.id.starts_with("page") || x.id == "suggestion")
    result.push_back(304);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

object answers_of(const route& x) {
  object result;
  if (x.id.starts_with("session"))
    result.set("204", object{{"description", "done"}});
  else
    result.set("200", object{{"description", x.summary},
                             {"content", content_of(type_of(x), answer_schema(x.id))}});
  if (x.id == "logs")
    result.find("200")->as_object()->find("content")->as_object()->set("text/event-stream",
                                                                       object{});
  for (const auto status : faults_of(x)) {
    object told{{"description", http::reason_of(static_cast<unsigned>(status))}};
    if (status >= 400)
      told.set("content", content_of("application/problem+json", problem_schema()));
    else if (status == 206)
      told.set("content", content_of(type_of(x)));
    result.set(std::to_string(status), std::move(told));
  }
  return result;
}

object text_property() {
  return {{"type", "string"}};
}

/// Values by names that the experiment chose.
object names_property() {
  return {{"$ref", "#/components/schemas/names"}};
}

/// The members of what `tell` takes, those of each op together.
void add_tell(object& to) {
  to.set("op", object{{"type", "string"},
                      {"enum", value::list{"report", "complete", "error", "stop", "add", "alive",
                                           "best", "status"}}});
  for (const auto* name : {"trial", "checkpoint", "message", "key"})
    to.set(name, text_property());
  for (const auto* name : {"metrics", "config"})
    to.set(name, names_property());
  to.set("attempt", object{{"type", "integer"}, {"minimum", 1}});
  to.set("restore", object{{"type", "boolean"}});
  to.set("running", object{{"type", "array"}, {"items", text_property()}});
}

object body_of(const route& x) {
  if (x.body_type != "application/json") {
    object content;
    content.set(x.body_type, object{{"schema", object{{"type", "string"}, {"format", "binary"}}}});
    return {{"required", true}, {"content", std::move(content)}};
  }
  object properties;
  value::list needed;
  if (x.id == "add") {
    properties.set("config", names_property());
    properties.set("key", object{{"type", "string"}, {"maxLength", 200}});
    needed.emplace_back("config");
  } else if (x.id == "ask") {
    properties.set("running", object{{"type", "array"}, {"items", object{{"type", "string"}}}});
  } else if (x.id == "tell") {
    add_tell(properties);
    needed.emplace_back("op");
  } else if (x.id == "session_begin") {
    properties.set("token", text_property());
    needed.emplace_back("token");
  } else if (x.id == "trial_retry") {
    properties.set("from_scratch", object{{"type", "boolean"}});
  }
  object schema{
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  const auto is_needed = !needed.empty();
  if (is_needed)
    schema.set("required", std::move(needed));
  return {{"required", is_needed},
          {"content", object{{"application/json", object{{"schema", std::move(schema)}}}}}};
}

object operation_of(const route& x) {
  object result{{"operationId", x.id},
                {"summary", x.summary},
                {"parameters", parameters_of(x)},
                {"responses", answers_of(x)}};
  if (x.who == access::token)
    result.set("security", value::list{object{{"token", value::list{}}}});
  if (x.what == method::post)
    result.set("requestBody", body_of(x));
  return result;
}

std::string path_of(const route& x) {
  auto result = x.pattern;
  if (const auto dots = result.find("...}"); dots != result.npos)
    result.erase(dots, 3);
  return result;
}

std::string name_of(method x) {
  return x == method::post ? "post" : x == method::del ? "delete" : "get";
}

} // namespace

std::string openapi_text(const std::vector<http::route>& routes, std::string_view version) {
  object paths;
  for (const auto& x : routes) {
    const auto path = path_of(x);
    if (!paths.contains(path))
      paths.set(path, object{});
    paths.find(path)->as_object()->set(name_of(x.what), operation_of(x));
  }
  object scheme{{"type", "http"}, {"scheme", "bearer"}};
  return to_json(
      object{{"openapi", "3.0.3"},
             {"info", object{{"title", "tune-node"}, {"version", version}}},
             {"paths", std::move(paths)},
             {"components", object{{"securitySchemes", object{{"token", std::move(scheme)}}},
                                   {"schemas", answer_schemas()}}}});
}

} // namespace tune::cli
