// SPDX-License-Identifier: BSD-3-Clause
#include "command/looking_requests.hpp"

#include "command/at_head.hpp"
#include "command/command_options.hpp"
#include "command/option_reading.hpp"
#include "command/option_values.hpp"
#include "tune/core/text.hpp"
#include "tune/http/host_guard.hpp"
#include "tune/io/object_store/object_store.hpp"

#include <algorithm>
#include <utility>

namespace tune::cli {

namespace {

/// A request with a directory and options, and nothing that must fit together.
template <class Request>
expected<request> plain_from(const read_result& x, const bound_options<Request>& options,
                             const command_doc& where) {
  Request result;
  if (auto done = read_options(x, options, result, where); !done)
    return done.error();
  result.directory = x.positionals[0];
  return request{std::move(result)};
}

expected<request> trials_from(const read_result& x, const command_doc& where) {
  trials_request result;
  if (auto done = read_options(x, options_of_trials(), result, where); !done)
    return done.error();
  result.directory = x.positionals[0];
  if (result.failed && (result.pareto || result.why || result.policy || !result.columns.empty()))
    return wrong("--failed goes with neither --why, --policy, --pareto nor --columns", &where);
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
  if (auto done = read_options(x, options_of_attach(), result, where); !done)
    return done.error();
  result.experiment = x.positionals[0];
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
  if (auto done = read_options(x, options_of_fetch(), result, where); !done)
    return done.error();
  const auto is_in_bucket = result.directory.starts_with(bucket_scheme);
  if (!is_in_bucket && !(result.endpoint.empty() && result.region.empty()))
    return wrong("--endpoint and --region go with s3://bucket/prefix", &where);
  if (is_in_bucket && reaching_options<at_head_request>().front().is_in(x))
    return wrong("s3://bucket/prefix goes without --head", &where);
  if (auto place = bucket_place_from(result.directory); is_in_bucket && !place)
    return wrong(result.directory + " " + place.error().detail, &where);
  if (auto fault = why_no_endpoint(result.endpoint); !result.endpoint.empty() && !fault.empty())
    return wrong("--endpoint " + fault, &where);
  return request{std::move(result)};
}

expected<request> export_from(const read_result& x, const command_doc& where) {
  export_request result;
  if (auto done = read_options(x, options_of_export(), result, where); !done)
    return done.error();
  result.directory = x.positionals[0];
  const auto is_mlflow = result.what == export_request::form::mlflow;
  if (!is_mlflow && (!result.url.empty() || !result.name.empty()))
    return wrong("--url and --name go with --format mlflow", &where);
  if (is_mlflow && !result.to.empty())
    return wrong("--to goes not with --format mlflow: a server takes it, see --url", &where);
  return request{std::move(result)};
}

expected<request> serve_from(const read_result& x, const command_doc& where) {
  serve_request result;
  if (auto done = read_options(x, options_of_serve(), result, where); !done)
    return done.error();
  if (!x.positionals.empty())
    result.place = x.positionals[0];
  return request{std::move(result)};
}

expected<request> report_from(const read_result& x, const command_doc& where) {
  report_request result;
  if (auto done = read_options(x, options_of_report(), result, where); !done)
    return done.error();
  result.directories = x.positionals;
  return request{std::move(result)};
}

expected<request> top_from(const read_result& x, const command_doc& where) {
  const auto options = reaching_options<top_request>();
  top_request result;
  if (auto done = read_options(x, options, result, where); !done)
    return done.error();
  if (!x.positionals.empty())
    result.directory = x.positionals[0];
  if (result.head && result.directory.empty())
    return wrong("top --head needs the name of an experiment", &where);
  for (const auto& option : options) {
    if (option.is_in(x) && !result.head)
      return wrong("--" + std::string{option.doc.name} + " goes with --head", &where);
  }
  return request{std::move(result)};
}

/// A size within what can be drawn; nothing if it is not given.
/// @param name Of its option.
expected<std::optional<std::size_t>> size_from(const std::optional<std::string>& given,
                                               const std::string& name, std::size_t least,
                                               const command_doc& where) {
  constexpr std::size_t most = 10'000;
  if (!given)
    return std::optional<std::size_t>{};
  auto number = count_from(*given, name, 0, where);
  if (!number)
    return number.error();
  if (*number < least || *number > most)
    return wrong(name + " is a whole number from " + std::to_string(least) + " to "
                     + std::to_string(most) + ", not " + in_single_quotes(*given),
                 &where);
  return std::optional<std::size_t>{*number};
}

expected<void> take_sizes(plot_words& given, const command_doc& where) {
  auto& result = given.plot;
  const auto is_text = result.file.empty();
  auto trials = size_from(given.trials, "--trials", 1, where);
  auto width = size_from(given.width, "--width", is_text ? 20 : 200, where);
  auto height = size_from(given.height, "--height", is_text ? 6 : 150, where);
  if (!trials || !width || !height)
    return !trials ? trials.error() : !width ? width.error() : height.error();
  result.trials = std::min<std::uint64_t>(trials->value_or(result.trials), 1000);
  result.width = *width;
  result.height = *height;
  return {};
}

/// Why what is to be drawn does not go together; empty: it does.
std::string misplaced_in_plot(const plot_request& x, bool is_at_head) {
  const auto& wish = x.wish;
  if (!can_be_across(wish.what, wish.across))
    return "a chart of this kind has no --x "
           + std::string{chart_axes()[static_cast<std::size_t>(wish.across) - 1]};
  if (!wish.parameter.empty() && wish.what != chart_kind::slice)
    return "--parameter is for slice";
  if (is_at_head && !x.file.empty() && x.file != "-")
    return "with --head an SVG goes to stdout: -o -";
  return {};
}

expected<request> plot_from(const read_result& x, const command_doc& where) {
  plot_words given;
  if (auto done = read_options(x, options_of_plot(), given, where); !done)
    return done.error();
  auto& result = given.plot;
  auto& wish = result.wish;
  result.directory = x.positionals[0];
  if (x.positionals.size() > 1)
    wish.what = chosen<chart_kind>(where.positionals[1].choices, x.positionals[1]);
  wish.log_x = given.log && given.log->find('x') != given.log->npos;
  wish.log_y = given.log && (given.log->empty() || given.log->find('y') != given.log->npos);
  const auto is_at_head = reaching_options<at_head_request>().front().is_in(x);
  if (auto fault = misplaced_in_plot(result, is_at_head); !fault.empty())
    return wrong(fault, &where);
  if (auto done = take_sizes(given, where); !done)
    return done.error();
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
    return plain_from(x, options_of_importance(), where);
  if (where.name == "status")
    return request{status_request{x.positionals[0]}};
  if (where.name == "fetch")
    return fetch_from(x, where);
  if (where.name == "report")
    return report_from(x, where);
  if (where.name == "top")
    return top_from(x, where);
  if (where.name == "plot")
    return plot_from(x, where);
  if (where.name == "export")
    return export_from(x, where);
  if (where.name == "serve")
    return serve_from(x, where);
  if (where.name == "wait")
    return plain_from(x, options_of_wait(), where);
  if (where.name == "fsck")
    return plain_from(x, options_of_fsck(), where);
  return std::nullopt;
}

} // namespace tune::cli
