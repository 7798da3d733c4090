// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/mlflow/mlflow_client.hpp"

#include "sinks/mlflow/mlflow_names.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tune::mlflow {

namespace {

constexpr std::int64_t runs_per_page = 1000;
constexpr std::size_t longest_answer_shown = 300;

http_client_settings
settings_from_environment(std::function<std::chrono::milliseconds()> time_left) {
  http_client_settings result;
  if (auto token = environment_text("MLFLOW_TRACKING_TOKEN"); !token.empty())
    result.headers.push_back("Authorization: Bearer " + token);
  result.user = environment_text("MLFLOW_TRACKING_USERNAME");
  result.password = environment_text("MLFLOW_TRACKING_PASSWORD");
  result.certificates = environment_text("MLFLOW_TRACKING_SERVER_CERT_PATH");
  result.verifies_server = environment_text("MLFLOW_TRACKING_INSECURE_TLS") != "true";
  result.time_left = std::move(time_left);
  return result;
}

std::string text_at(const object& from, std::string_view path) {
  const auto* found = find_path(from, path);
  return found == nullptr || found->as_string() == nullptr ? std::string{} : *found->as_string();
}

value::list entries(const texts& all) {
  value::list result;
  for (const auto& [key, text] : all)
    result.push_back(object{{"key", key}, {"value", text}});
  return result;
}

found_run run_in(const object& from) {
  found_run result{text_at(from, "info/run_id"), {}};
  const auto* tags = find_path(from, "data/tags");
  if (tags == nullptr || tags->as_list() == nullptr)
    return result;
  for (const auto& x : *tags->as_list()) {
    if (x.as_object() != nullptr)
      result.tags[text_at(*x.as_object(), "key")] = text_at(*x.as_object(), "value");
  }
  return result;
}

} // namespace

client::client(std::string url, std::function<std::chrono::milliseconds()> time_left)
    : url_{std::move(url)}, http_{settings_from_environment(std::move(time_left))} {
  while (url_.ends_with('/'))
    url_.pop_back();
  url_ += "/api/2.0/mlflow/";
}

expected<object> read_answer(const std::string& url, const http_reply& reply) {
  if (reply.status >= 200 && reply.status < 300) {
    auto read = object_from_json(reply.body.empty() ? "{}" : reply.body);
    if (read)
      return read;
    return error{ec::refused, url + ": its answer is not MLflow's: is the address right?"};
  }
  const auto said = printable(reply.body.substr(0, longest_answer_shown));
  return error{ec::refused, url + ": status " + std::to_string(reply.status)
                                + (said.empty() ? "" : ": " + said)};
}

run_page runs_in(const object& answer) {
  run_page result{{}, text_at(answer, "next_page_token")};
  const auto* all = answer.find("runs");
  if (all == nullptr || all->as_list() == nullptr)
    return result;
  for (const auto& x : *all->as_list()) {
    if (x.as_object() != nullptr)
      result.runs.push_back(run_in(*x.as_object()));
  }
  return result;
}

expected<object> client::answer_in(const std::string& path, const http_reply& reply) const {
  return read_answer(url_ + path, reply);
}

expected<object> client::call(const std::string& path, const object& what) {
  auto reply = http_.post(url_ + path, to_json(what));
  return reply ? answer_in(path, *reply) : expected<object>{reply.error()};
}

expected<std::string> client::experiment(const std::string& name) {
  const std::string path = "experiments/get-by-name";
  for (bool again : {true, false}) {
    auto reply = http_.get(url_ + path + "?experiment_name=" + url_escaped(name));
    if (!reply)
      return reply.error();
    if (reply->status != 404) {
      auto found = answer_in(path, *reply);
      if (!found)
        return found.error();
      if (text_at(*found, "experiment/lifecycle_stage") == "deleted")
        return error{ec::refused, url_ + ": the experiment " + printable(name)
                                      + " is deleted there: restore it, or choose another name"};
      return text_at(*found, "experiment/experiment_id");
    }
    if (reply->body.find("RESOURCE_DOES_NOT_EXIST") == reply->body.npos)
      return answer_in(path, *reply).error();
    // Somebody else may have made it in the meantime.
    auto made = call("experiments/create", {{"name", name}});
    if (made)
      return text_at(*made, "experiment_id");
    if (!again || made.error().code != ec::refused
        || made.error().detail.find("ALREADY_EXISTS") == std::string::npos)
      return made.error();
  }
  return error{ec::unreachable, url_ + ": the experiment cannot be made"};
}

expected<std::vector<found_run>> client::runs(const std::string& experiment, const std::string& tag,
                                              const std::string& is) {
  std::vector<found_run> result;
  std::string page;
  do {
    object asked{{"experiment_ids", value::list{experiment}},
                 {"filter", "tags.`" + tag + "` = '" + is + "'"},
                 {"max_results", runs_per_page}};
    if (!page.empty())
      asked.set("page_token", page);
    auto some = call("runs/search", asked);
    if (!some)
      return some.error();
    auto found = runs_in(*some);
    std::move(found.runs.begin(), found.runs.end(), std::back_inserter(result));
    if (!page.empty() && (found.next == page || found.runs.empty()))
      return error{ec::refused, url_ + "runs/search: its pages have no end"};
    page = std::move(found.next);
  } while (!page.empty());
  return result;
}

expected<std::string> client::create_run(const std::string& experiment, const std::string& name,
                                         std::int64_t start_ms, const texts& tags) {
  auto made = call("runs/create", {{"experiment_id", experiment},
                                   {"run_name", name},
                                   {"start_time", start_ms},
                                   {"tags", entries(tags)}});
  if (!made)
    return made.error();
  auto id = text_at(*made, "run/info/run_id");
  if (id.empty())
    return error{ec::refused, url_ + "runs/create: its answer names no run"};
  return id;
}

expected<void> client::log_some(const std::string& run, const texts& params, const texts& tags,
                                value::list metrics) {
  auto done = call("runs/log-batch", {{"run_id", run},
                                      {"params", entries(params)},
                                      {"tags", entries(tags)},
                                      {"metrics", std::move(metrics)}});
  return done ? expected<void>{} : done.error();
}

expected<void> client::log(const std::string& run, const texts& params, const texts& tags,
                           const std::vector<number>& metrics) {
  for (std::size_t i = 0; i < params.size(); i += most_params) {
    const auto end = std::min(params.size(), i + most_params);
    const texts some(params.begin() + static_cast<std::ptrdiff_t>(i),
                     params.begin() + static_cast<std::ptrdiff_t>(end));
    if (auto done = log_some(run, some, {}, {}); !done)
      return done;
  }
  if (!tags.empty())
    if (auto done = log_some(run, {}, tags, {}); !done)
      return done;
  value::list some;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto& x = metrics[i];
    some.push_back(object{{"key", x.key},
                          {"value", json_of(x.is)},
                          {"timestamp", x.timestamp_ms},
                          {"step", static_cast<std::int64_t>(x.step)}});
    if (some.size() < most_metrics && i + 1 < metrics.size())
      continue;
    if (auto done = log_some(run, {}, {}, std::exchange(some, {})); !done)
      return done;
  }
  return {};
}

expected<void> client::update(const std::string& run, const std::string& status,
                              std::int64_t end_ms) {
  object what{{"run_id", run}, {"status", status}};
  if (end_ms > 0)
    what.set("end_time", end_ms);
  auto done = call("runs/update", what);
  return done ? expected<void>{} : done.error();
}

} // namespace tune::mlflow
