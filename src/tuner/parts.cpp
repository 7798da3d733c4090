// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/parts.hpp"

#include "tune/io/process/host.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/table/curve_table.hpp"

namespace tune {

namespace {

template <class Part, class Context>
expected<std::unique_ptr<Part>>
make_chosen(const catalogue<Part, Context>& from, const std::string& type,
            const std::vector<named_text>& written, const Context& context) {
  const auto& entry = type.empty() ? from.entries().front() : *from.find(type);
  auto checked = options::parse(entry.known, option_texts(written));
  if (!checked)
    return checked.error();
  return entry.make(*checked, context);
}

expected<trainable_plan> plan_of(const loaded_spec& from) {
  const auto& spec = from.what;
  const auto& x = spec.trainable;
  switch (*x.kind) {
    case trainable_kind::function:
    case trainable_kind::class_type:
      if (x.isolation == isolation_kind::process && can_host())
        return trainable_plan{run_in_host{x.name}};
      return trainable_plan{run_in_thread{x.name}};
    case trainable_kind::table: {
      auto table = curve_table::load(against_ini(spec, x.path));
      if (!table)
        return table.error();
      auto shared = std::make_shared<const curve_table>(std::move(*table));
      return trainable_plan{replay_table{[shared, space = from.space](const object& config) {
        return shared->curve_of(config, *space);
      }}};
    }
    case trainable_kind::command:
      break;
  }
  auto command = command_of(spec, *from.space);
  if (!command)
    return command.error();
  run_command plan{std::move(*command), spec.ini_dir, {}, {}};
  if (!x.metrics.empty()) {
    auto& patterns = plan.patterns.emplace();
    for (const auto& metric : x.metrics)
      patterns.metrics.emplace_back(metric.name, metric.text);
    patterns.mode = x.report;
    patterns.report_on = x.report_on;
    patterns.objective = spec.experiment.objectives.front().metric;
  }
  for (const auto& variable : x.env)
    plan.environment.emplace_back(variable.name, variable.text);
  return trainable_plan{std::move(plan)};
}

/// Programs read by patterns cannot be asked; a function hands checkpoints over by itself.
bool can_save(const trainable_plan& plan, const choices& all) {
  if (const auto* program = std::get_if<run_command>(&plan))
    return !program->patterns;
  if (std::holds_alternative<replay_table>(plan))
    return true;
  const auto* thread = std::get_if<run_in_thread>(&plan);
  const auto& name = thread != nullptr ? thread->trainable : std::get<run_in_host>(plan).trainable;
  const auto* entry = all.trainables.find(name);
  return entry != nullptr && entry->maker != nullptr && entry->maker()->can_save();
}

/// Trials there will be, where that is known beforehand. 0: not.
std::uint64_t planned_of(const loaded_spec& from, const searcher& source) {
  auto result = from.what.experiment.num_samples;
  if (!source.traits().exhaustible)
    return result;
  // One trial per sample, unless a grid multiplies or ends them.
  for (const auto& x : from.space->parameters()) {
    if (std::holds_alternative<grid_of>(x.what))
      return 0;
  }
  return from.what.search.type == "grid" ? 0 : result;
}

node_settings node_of(const loaded_spec& from, const choices& all, const host_resources& machine) {
  node_settings result;
  result.capacity = offered_by(from.what, machine.capacity());
  for (const auto& gpu : machine.gpus)
    result.gpus.push_back(gpu.visible);
  result.trainables = std::make_shared<const trainable_registry>(all.trainables);
  return result;
}

job job_of(const loaded_spec& from, const std::filesystem::path& directory, trainable_plan plan) {
  job result;
  result.id = from.what.experiment.name;
  result.experiment = from.what.experiment.name;
  result.directory = directory;
  result.plan = std::move(plan);
  result.objective = from.what.experiment.objectives.front().metric;
  result.trial_files = from.what.log.trial_files;
  result.output_cap = from.what.trainable.output_cap;
  result.kill_grace
      = std::chrono::duration_cast<std::chrono::milliseconds>(from.what.cluster.kill_grace);
  return result;
}

/// What a node must be able to do.
node_labels labels_of(const trainable_plan& plan) {
  if (const auto* thread = std::get_if<run_in_thread>(&plan))
    return {trainable_label(thread->trainable)};
  if (const auto* host = std::get_if<run_in_host>(&plan))
    return {trainable_label(host->trainable)};
  return {};
}

} // namespace

expected<std::unique_ptr<searcher>> make_searcher(const loaded_spec& from, const choices& all) {
  return make_chosen(all.searchers, from.what.search.type, from.what.search.options,
                     searcher_context_of(from.what, from.space));
}

expected<run_parts> make_parts(const loaded_spec& from, const choices& all,
                               const std::filesystem::path& directory,
                               const host_resources& machine) {
  auto plan = plan_of(from);
  if (!plan)
    return plan.error();
  auto judge = make_chosen(all.schedulers, from.what.scheduler.type, from.what.scheduler.options,
                           scheduler_context_of(from.what));
  if (!judge)
    return judge.error();
  auto source = make_searcher(from, all);
  if (!source)
    return source.error();
  auto stoppers = make_stoppers(stop_lines(from.what));
  if (!stoppers)
    return stoppers.error();
  auto settings = settings_of(from.what);
  auto planned = planned_of(from, **source);
  settings.can_checkpoint = can_save(*plan, all);
  auto labels = labels_of(*plan);
  // A searcher that ends by itself counts its samples by itself.
  if ((*source)->traits().exhaustible)
    settings.max_trials = 0;
  return run_parts{std::move(settings),
                   std::move(*judge),
                   std::move(*source),
                   std::move(*stoppers),
                   node_of(from, all, machine),
                   std::make_shared<const job>(job_of(from, directory, std::move(*plan))),
                   std::move(labels),
                   planned};
}

expected<void> start_guard_if_needed(run_parts& parts) {
  if (!needs_processes(parts.work->plan))
    return {};
  auto started = process_service::start(parts.node.processes);
  if (!started)
    return error{ec::process,
                 "no trial can run in a process of its own: " + started.error().detail};
  parts.node.service = std::move(*started);
  return {};
}

} // namespace tune
