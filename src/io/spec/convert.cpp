// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/convert.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/core/trial/costs.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tune {

namespace {

/// Amounts of families, which were checked when they were read; anything else is skipped.
std::map<std::string, amount> custom_amounts(const std::vector<named_text>& xs) {
  std::map<std::string, amount> result;
  for (const auto& x : xs) {
    if (auto number = parse_number(x.text))
      result.insert_or_assign(x.name, amount::of(*number));
  }
  return result;
}

std::uint32_t& budget(failure_policy& of, end_class what) {
  return of.budget[static_cast<std::size_t>(what)];
}

/// The error for an entry of a bundle.
error bundle_error(std::size_t number, const std::string& name, const std::string& why) {
  return {ec::bad_option, "number " + std::to_string(number) + ": " + name + ": " + why};
}

expected<amount> read_amount(const value& what) {
  constexpr double most = 1e12;
  auto number = what.number();
  if (!number || what.as_bool() != nullptr || !(*number >= 0 && *number <= most))
    return error{ec::bad_option, "must be a number >= 0"};
  return amount::of(*number);
}

expected<std::uint64_t> read_memory(const value& what) {
  auto text = what.as_string() != nullptr ? *what.as_string() : to_text(what);
  if (auto bytes = parse_bytes(text))
    return bytes;
  return error{ec::bad_option, "must be a size such as \"2GiB\""};
}

/// Sets one entry of a bundle.
expected<void> set_entry(resources& to, const std::string& name, const value& what) {
  constexpr std::string_view custom = "custom.";
  if (name == "memory") {
    auto bytes = read_memory(what);
    if (!bytes)
      return bytes.error();
    to.memory = *bytes;
    return {};
  }
  if (name != "cpu" && name != "gpu" && !(name.starts_with(custom) && name.size() > custom.size()))
    return error{ec::unknown_name, "must be one of: cpu, gpu, memory, custom.<name>"};
  auto read = read_amount(what);
  if (!read)
    return read.error();
  if (name == "gpu" && *read > amount::of(1) && read->units % amount::scale != 0)
    return error{ec::bad_option, "above 1 it must be whole"};
  if (name == "cpu")
    to.cpu = *read;
  else if (name == "gpu")
    to.gpu = *read;
  else
    to.custom.insert_or_assign(name.substr(custom.size()), *read);
  return {};
}

/// A number for JSON: whole ones without a point.
value plain(amount x) {
  if (x.units % amount::scale == 0)
    return x.units / amount::scale;
  return x.number();
}

} // namespace

failure_policy failures_of(const spec& x) {
  const auto& from = x.failure;
  failure_policy result;
  budget(result, end_class::user_error) = from.max_failures;
  budget(result, end_class::timeout) = from.max_timeouts.value_or(from.max_failures);
  budget(result, end_class::out_of_memory) = from.max_out_of_memory.value_or(from.max_failures);
  budget(result, end_class::killed) = from.max_killed.value_or(from.max_failures);
  budget(result, end_class::node_lost) = from.max_node_losses;
  result.fail_fast = from.fail_fast;
  result.max_consecutive_failures = from.max_consecutive_failures;
  result.backoff = from.backoff;
  result.most_backoff = from.most_backoff;
  result.progress_timeout = from.progress_timeout;
  result.restart_from_scratch = from.restart_from_scratch;
  return result;
}

resource_request request_of(const spec& x) {
  const auto& from = x.resources;
  resources own{amount::of(from.cpu), amount::of(from.gpu), from.memory,
                custom_amounts(from.custom)};
  resource_request result{{std::move(own)}, from.strategy, x.cluster.policy};
  result.bundles.insert(result.bundles.end(), from.bundles.begin(), from.bundles.end());
  // Without further bundles, all ranks get the same resources.
  if (from.bundles.empty() && x.trainable.ranks > 1)
    result.bundles.resize(x.trainable.ranks, result.bundles.front());
  return result;
}

retention_policy retention_of(const spec& x) {
  const auto& from = x.checkpoint;
  auto maximise = from.score_order == score_direction::max;
  for (const auto& each : x.experiment.objectives) {
    if (from.score_order == score_direction::as_objective && each.metric == from.score_attribute)
      maximise = each.maximise;
  }
  return {from.keep, from.score_attribute, maximise, from.max_bytes_per_trial, from.max_bytes};
}

/// A node that takes longer to kill a process is stuck.
constexpr std::chrono::seconds patience_with_killing{20};

experiment_settings settings_of(const spec& x) {
  experiment_settings result;
  result.objectives = x.experiment.objectives;
  result.constraints = x.experiment.constraints;
  result.repeats = repeat_rule_of(x);
  result.seed = x.experiment.seed;
  result.max_trials = x.experiment.num_samples;
  result.max_concurrent = x.experiment.max_concurrent_trials;
  result.max_pending = x.search.max_pending;
  result.in_batches = x.search.batch;
  result.request = request_of(x);
  result.queue_trials = x.cluster.queue_trials;
  result.failures = failures_of(x);
  result.checkpoints = {x.checkpoint.frequency, x.checkpoint.at_end, retention_of(x),
                        x.checkpoint.pause_storage == pause_place::memory};
  if (!x.trainable.exports.empty())
    result.export_time = x.trainable.export_timeout;
  result.exports = x.trainable.exports;
  result.time_limit = x.experiment.time_limit;
  result.training_limit = x.experiment.training_limit;
  result.stall_timeout = x.experiment.stall_timeout;
  result.draft_patience = x.search.max_wait;
  result.stop_grace = x.cluster.stop_grace;
  result.kill_time = x.cluster.kill_grace + patience_with_killing;
  return result;
}

artifact_rules artifact_rules_of(const spec& x) {
  const auto& from = x.trainable;
  artifact_rules result{from.artifacts, from.artifacts_max_size, from.artifacts_max_files};
  if (from.artifacts == std::vector<std::string>{"all"})
    result.patterns = {"."};
  else if (from.artifacts == std::vector<std::string>{"none"})
    result.patterns.clear();
  return result;
}

std::vector<parameter_text> space_lines(const spec& x) {
  std::vector<parameter_text> result;
  for (const auto& each : x.space)
    result.push_back({each.name, each.text});
  if (auto rule = repeat_rule_of(x); rule.is_on())
    result.push_back({rule.parameter, "randint(0, 1000000000)", true});
  return result;
}

repeat_rule repeat_rule_of(const spec& x) {
  constexpr std::uint32_t usual_runs = 3;
  repeat_rule result{x.search.repeat, x.search.repeat_judge, x.search.repeat_parameter,
                     x.experiment.confirm};
  result.confirm_runs
      = x.experiment.confirm_runs.value_or(result.runs > 1 ? result.runs : usual_runs);
  return result;
}

std::vector<stop_line> stop_lines(const spec& x) {
  std::vector<stop_line> result;
  for (const auto& each : x.stop)
    result.push_back({each.name, each.text});
  return result;
}

bool names_costs(const spec& x) {
  auto is_named = [](std::string_view text) {
    return std::any_of(cost_metrics.begin(), cost_metrics.end(),
                       [&](auto name) { return text.find(name) != text.npos; });
  };
  auto are_named = [&](const std::vector<named_text>& xs) {
    return std::any_of(xs.begin(), xs.end(),
                       [&](const auto& y) { return is_named(y.name) || is_named(y.text); });
  };
  return std::any_of(x.experiment.objectives.begin(), x.experiment.objectives.end(),
                     [](const auto& y) { return is_cost(y.metric); })
         || std::any_of(x.experiment.constraints.begin(), x.experiment.constraints.end(),
                        [](const auto& y) { return is_cost(y.metric); })
         || are_named(x.stop) || are_named(x.search.options) || are_named(x.scheduler.options);
}

stopper_context stopper_context_of(const spec& x) {
  if (x.experiment.objectives.empty())
    return {};
  const auto& first = x.experiment.objectives.front();
  return {first.metric, first.maximise};
}

std::map<std::string, std::string> option_texts(const std::vector<named_text>& xs) {
  std::map<std::string, std::string> result;
  for (const auto& x : xs)
    result.insert_or_assign(x.name, x.text);
  return result;
}

namespace {

/// The space without the parameter that distinguishes runs of a configuration.
std::shared_ptr<const search_space> searched_in(std::shared_ptr<const search_space> space) {
  auto parameters = space->parameters();
  std::erase_if(parameters, [](const parameter& x) { return x.numbers_runs; });
  if (parameters.size() == space->parameters().size())
    return space;
  // No condition uses it: checked when loading.
  const auto* kept = space->constraint();
  auto result = search_space::make(std::move(parameters),
                                   kept != nullptr ? std::optional{*kept} : std::nullopt);
  return result ? std::make_shared<const search_space>(std::move(*result)) : space;
}

} // namespace

namespace {

std::vector<known_result> known_results_of(const spec& x) {
  std::vector<known_result> result;
  for (const auto& each : x.search.known) {
    known_result made{each.config, 1, {}, {}};
    if (const auto* iteration = each.metrics.find("training_iteration"))
      made.fidelity = static_cast<std::uint64_t>(*iteration->as_int());
    for (const auto& by : x.experiment.objectives) {
      const auto* found = find_path(each.metrics, by.metric);
      // The number was checked when it was read.
      auto number = found == nullptr ? 0 : found->number().value_or(0);
      made.values.push_back(by.maximise ? number : -number);
    }
    made.constraints = violations_of(x.experiment.constraints, each.metrics);
    result.push_back(std::move(made));
  }
  return result;
}

} // namespace

searcher_context searcher_context_of(const spec& x, std::shared_ptr<const search_space> space) {
  searcher_context result;
  result.space = searched_in(std::move(space));
  result.seed = x.experiment.seed;
  result.samples = x.experiment.num_samples;
  result.objectives = static_cast<std::uint32_t>(x.experiment.objectives.size());
  result.constraints = static_cast<std::uint32_t>(x.experiment.constraints.size());
  for (const auto& each : x.experiment.objectives)
    result.metrics.push_back({each.metric, each.maximise});
  for (const auto& each : x.experiment.constraints)
    result.constraint_texts.push_back(to_text(constraint_list{each}));
  result.points = x.search.points;
  result.points.insert(result.points.end(), x.search.found_points.begin(),
                       x.search.found_points.end());
  result.known = known_results_of(x);
  result.earlier = x.search.found_earlier;
  return result;
}

scheduler_context scheduler_context_of(const spec& x, std::shared_ptr<const search_space> space) {
  scheduler_context result;
  result.space = std::move(space);
  result.request = request_of(x);
  result.seed = x.experiment.seed;
  result.objectives = static_cast<std::uint32_t>(x.experiment.objectives.size());
  result.maximise = x.experiment.objectives.empty() || x.experiment.objectives.front().maximise;
  return result;
}

std::vector<std::string> parameter_names(const search_space& space) {
  std::vector<std::string> result;
  for (const auto& each : space.parameters())
    result.push_back(each.name);
  return result;
}

expected<command_template> command_of(const spec& x, const search_space& space) {
  return command_template::parse(x.trainable.command, parameter_names(space));
}

std::optional<metric_pattern_options> patterns_of(const spec& x) {
  const auto& from = x.trainable;
  if (from.metrics.empty())
    return std::nullopt;
  metric_pattern_options result;
  for (const auto& metric : from.metrics) {
    if (!means_file(metric.text))
      result.metrics.emplace_back(metric.name, metric.text);
    else if (auto file = parse_file_metric(metric.name, metric.text))
      result.files.push_back(std::move(*file));
  }
  result.mode = from.report;
  result.report_on = from.report_on;
  result.objective = x.experiment.objectives.front().metric;
  result.stream = from.stream;
  return result;
}

resources offered_by(const spec& x, resources detected) {
  const auto& from = x.cluster;
  if (from.cpus)
    detected.cpu = amount::of(*from.cpus);
  if (from.gpus)
    detected.gpu = amount::of(*from.gpus);
  if (from.memory)
    detected.memory = *from.memory;
  for (const auto& [name, what] : custom_amounts(from.custom))
    detected.custom.insert_or_assign(name, what);
  return detected;
}

std::filesystem::path against_ini(const spec& x, const std::string& text) {
  return (std::filesystem::path{x.ini_dir} / text).lexically_normal();
}

namespace {

/// Replaces `~` and a leading `~/` by the user's home directory, if there is one.
std::filesystem::path from_home(const std::string& text) {
  const auto* home = std::getenv("HOME");
  if (home == nullptr || *home != '/' || (text != "~" && !text.starts_with("~/")))
    return text;
  return std::filesystem::path{home} / text.substr(std::min<std::size_t>(text.size(), 2));
}

} // namespace

std::filesystem::path experiment_directory(const spec& x, const std::filesystem::path& caller) {
  return (caller / from_home(x.experiment.storage) / x.experiment.name).lexically_normal();
}

expected<std::vector<resources>> parse_bundles(const std::string& json) {
  auto parsed = from_json(json);
  if (!parsed)
    return parsed.error();
  if (parsed->as_list() == nullptr)
    return error{ec::bad_syntax, "must be a JSON list of objects"};
  std::vector<resources> result;
  for (const auto& each : *parsed->as_list()) {
    auto number = result.size() + 1;
    if (each.as_object() == nullptr)
      return bundle_error(number, to_text(each), "must be a JSON object");
    result.emplace_back();
    for (const auto& [name, what] : *each.as_object()) {
      if (auto set = set_entry(result.back(), name, what); !set)
        return bundle_error(number, name, set.error().detail);
    }
  }
  return result;
}

std::string bundles_text(const std::vector<resources>& xs) {
  value::list list;
  for (const auto& x : xs) {
    object each;
    if (x.cpu.units != 0)
      each.set("cpu", plain(x.cpu));
    if (x.gpu.units != 0)
      each.set("gpu", plain(x.gpu));
    if (x.memory != 0)
      each.set("memory", std::to_string(x.memory));
    for (const auto& [name, what] : x.custom)
      each.set("custom." + name, plain(what));
    list.push_back(std::move(each));
  }
  return to_json(value{std::move(list)});
}

} // namespace tune
