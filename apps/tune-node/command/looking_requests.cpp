// SPDX-License-Identifier: BSD-3-Clause
#include "command/looking_requests.hpp"

#include "command/option_reading.hpp"
#include "command/option_values.hpp"
#include "tune/core/text.hpp"
#include "tune/http/host_guard.hpp"
#include "tune/io/object_store/object_store.hpp"

namespace tune::cli {

namespace {

expected<request> trials_from(const read_result& x, const command_doc& where) {
  trials_request result;
  result.directory = x.positionals[0];
  result.reverse = x.has("reverse");
  if (auto given = x.text("why")) {
    auto number = count_from(*given, "--why", 0, where);
    if (!number)
      return number.error();
    result.why = trial_id{*number};
  }
  if (auto given = x.text("policy")) {
    auto number = count_from(*given, "--policy", 0, where);
    if (!number)
      return number.error();
    result.policy = trial_id{*number};
  }
  if (auto given = x.text("status"))
    result.status = chosen<trial_status>(option_of(where, "status").choices, *given);
  if (auto given = x.text("sort"))
    result.sort = *given;
  result.failed = x.has("failed");
  result.pareto = x.has("pareto");
  if (result.failed && (result.pareto || result.why || result.policy || x.has("columns")))
    return wrong("--failed goes with neither --why, --policy, --pareto nor --columns", &where);
  if (auto given = x.text("scope"))
    result.scope = chosen<metric_scope>(option_of(where, "scope").choices, *given);
  if (auto given = x.text("columns"))
    result.columns = comma_parts(*given);
  if (auto given = x.text("limit")) {
    auto number = count_from(*given, "--limit", 0, where);
    if (!number)
      return number.error();
    result.limit = *number;
  }
  return request{std::move(result)};
}

expected<request> rerun_from(const read_result& x, const command_doc& where) {
  rerun_request result;
  result.directory = x.positionals[0];
  result.overrides = x.overrides;
  if (x.positionals.size() > 1) {
    auto number = count_from(x.positionals[1], "TRIAL", 0, where);
    if (!number)
      return number.error();
    result.trial = trial_id{*number};
  }
  return request{std::move(result)};
}

expected<request> attach_from(const read_result& x, const command_doc& where) {
  attach_request result;
  if (!x.has("head"))
    return wrong("attach needs --head HOST:PORT", &where);
  if (auto done = read_option(x, "head", result.head, head_addresses_from, where); !done)
    return done.error();
  result.experiment = x.positionals[0];
  result.certs = x.text("certs").value_or("");
  result.insecure_plaintext = x.has("insecure-plaintext");
  result.cluster = x.text("cluster").value_or(result.cluster);
  result.strict = x.has("strict");
  return request{std::move(result)};
}

expected<request> importance_from(const read_result& x, const command_doc& where) {
  importance_request result;
  result.directory = x.positionals[0];
  result.metric = x.text("metric").value_or("");
  if (auto done = read_option(x, "best", result.best_share, share_from, where); !done)
    return done.error();
  if (auto given = x.text("by"))
    result.by = chosen<importance_request::measure>(option_of(where, "by").choices, *given);
  return request{std::move(result)};
}

expected<request> fetch_from(const read_result& x, const command_doc& where) {
  fetch_request result;
  result.directory = x.positionals[0];
  if (x.positionals.size() > 1) {
    auto number = count_from(x.positionals[1], "TRIAL", 0, where);
    if (!number)
      return number.error();
    result.trial = trial_id{*number};
  }
  if (auto given = x.text("what"))
    result.what = chosen<fetch_request::part>(option_of(where, "what").choices, *given);
  result.to = x.text("to").value_or("");
  result.endpoint = x.text("endpoint").value_or("");
  result.region = x.text("region").value_or("");
  const auto is_in_bucket = result.directory.starts_with(bucket_scheme);
  if (!is_in_bucket && (x.has("endpoint") || x.has("region")))
    return wrong("--endpoint and --region go with s3://bucket/prefix", &where);
  if (is_in_bucket && x.has("head"))
    return wrong("s3://bucket/prefix goes without --head", &where);
  if (auto place = bucket_place_from(result.directory); is_in_bucket && !place)
    return wrong(result.directory + " " + place.error().detail, &where);
  if (auto fault = why_no_endpoint(result.endpoint); !result.endpoint.empty() && !fault.empty())
    return wrong("--endpoint " + fault, &where);
  return request{std::move(result)};
}

expected<request> export_from(const read_result& x, const command_doc& where) {
  export_request result;
  result.directory = x.positionals[0];
  auto form = x.text("format");
  if (!form)
    return wrong("export needs --format optuna|mlflow|tensorboard|csv|jsonl", &where);
  result.what = chosen<export_request::form>(option_of(where, "format").choices, *form);
  result.to = x.text("to").value_or("");
  result.url = x.text("url").value_or("");
  result.name = x.text("name").value_or("");
  const auto is_mlflow = result.what == export_request::form::mlflow;
  if (!is_mlflow && (x.has("url") || x.has("name")))
    return wrong("--url and --name go with --format mlflow", &where);
  if (is_mlflow && x.has("to"))
    return wrong("--to goes not with --format mlflow: a server takes it, see --url", &where);
  return request{std::move(result)};
}

expected<request> serve_from(const read_result& x, const command_doc& where) {
  serve_request result;
  if (!x.positionals.empty())
    result.place = x.positionals[0];
  auto& http = result.http;
  if (auto done = read_option(x, "http", http.where, peer_address_from, where); !done)
    return done.error();
  http.certs = x.text("certs").value_or("");
  http.token_file = x.text("token-file").value_or("");
  http.new_token = x.has("new-token");
  if (auto given = x.text("allow-host"))
    http.names = comma_parts(*given);
  for (const auto& name : http.names)
    if (!tune::http::is_host_text(name))
      return wrong("--allow-host: " + in_single_quotes(name) + " is no host, nor HOST:PORT",
                   &where);
  return request{std::move(result)};
}

expected<request> top_from(const read_result& x, const command_doc& where) {
  top_request result;
  if (!x.positionals.empty())
    result.directory = x.positionals[0];
  if (auto done = read_option(x, "head", result.head, head_addresses_from, where); !done)
    return done.error();
  if (result.head && result.directory.empty())
    return wrong("top --head needs the name of an experiment", &where);
  for (const char* option : {"certs", "insecure-plaintext", "cluster"}) {
    if (x.has(option) && !result.head)
      return wrong("--" + std::string{option} + " goes with --head", &where);
  }
  result.certs = x.text("certs").value_or("");
  result.insecure_plaintext = x.has("insecure-plaintext");
  result.cluster = x.text("cluster").value_or(result.cluster);
  return request{std::move(result)};
}

/// A size within what can be drawn; nothing if it is not given.
expected<std::optional<std::size_t>> size_from(const read_result& x, std::string_view name,
                                               std::size_t least, const command_doc& where) {
  constexpr std::size_t most = 10'000;
  auto given = x.text(name);
  if (!given)
    return std::optional<std::size_t>{};
  auto number = count_from(*given, "--" + std::string{name}, 0, where);
  if (!number)
    return number.error();
  if (*number < least || *number > most)
    return wrong("--" + std::string{name} + " is a whole number from " + std::to_string(least)
                     + " to " + std::to_string(most) + ", not " + in_single_quotes(*given),
                 &where);
  return std::optional<std::size_t>{*number};
}

expected<request> plot_from(const read_result& x, const command_doc& where) {
  plot_request result;
  result.directory = x.positionals[0];
  auto& wish = result.wish;
  if (x.positionals.size() > 1)
    wish.what = chosen<chart_kind>(where.positionals[1].choices, x.positionals[1]);
  if (auto given = x.text("x"))
    wish.across = static_cast<chart_across>(
        1 + static_cast<int>(chosen<chart_across>(option_of(where, "x").choices, *given)));
  if (!can_be_across(wish.what, wish.across))
    return wrong("a chart of this kind has no --x " + x.text("x").value_or(""), &where);
  const auto log = x.text("log");
  wish.log_x = log && log->find('x') != log->npos;
  wish.log_y = log && (log->empty() || log->find('y') != log->npos);
  wish.parameter = x.text("parameter").value_or("");
  if (!wish.parameter.empty() && wish.what != chart_kind::slice)
    return wrong("--parameter is for slice", &where);
  result.metric = x.text("metric").value_or("");
  result.file = x.text("output").value_or("");
  if (x.has("head") && !result.file.empty() && result.file != "-")
    return wrong("with --head an SVG goes to stdout: -o -", &where);
  result.is_ascii = x.has("ascii");
  auto trials = size_from(x, "trials", 1, where);
  auto width = size_from(x, "width", result.file.empty() ? 20 : 200, where);
  auto height = size_from(x, "height", result.file.empty() ? 6 : 150, where);
  if (!trials || !width || !height)
    return !trials ? trials.error() : !width ? width.error() : height.error();
  result.trials = std::min<std::uint64_t>(trials->value_or(result.trials), 1000);
  result.width = *width;
  result.height = *height;
  return request{std::move(result)};
}

expected<request> list_from(const read_result& x, const command_doc& where) {
  list_request result;
  result.what = chosen<list_request::part>(where.positionals[0].choices, x.positionals[0]);
  if (x.positionals.size() > 1) {
    if (result.what != list_request::part::experiments)
      return wrong("one argument too many: " + in_single_quotes(x.positionals[1]), &where);
    result.storage = x.positionals[1];
  }
  return request{std::move(result)};
}

} // namespace

std::optional<expected<request>> looking_request(const read_result& x, const command_doc& where) {
  if (where.name == "trials")
    return trials_from(x, where);
  if (where.name == "rerun")
    return rerun_from(x, where);
  if (where.name == "attach")
    return attach_from(x, where);
  if (where.name == "list")
    return list_from(x, where);
  if (where.name == "compare")
    return request{compare_request{x.positionals}};
  if (where.name == "importance")
    return importance_from(x, where);
  if (where.name == "status")
    return request{status_request{x.positionals[0]}};
  if (where.name == "fetch")
    return fetch_from(x, where);
  if (where.name == "report")
    return request{report_request{x.positionals, x.text("output").value_or("")}};
  if (where.name == "top")
    return top_from(x, where);
  if (where.name == "plot")
    return plot_from(x, where);
  if (where.name == "export")
    return export_from(x, where);
  if (where.name == "serve")
    return serve_from(x, where);
  if (where.name == "wait")
    return request{wait_request{x.positionals[0], x.has("strict")}};
  if (where.name == "fsck")
    return request{fsck_request{x.positionals[0], x.has("verify")}};
  return std::nullopt;
}

} // namespace tune::cli
