// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/parts.hpp"

#include "tune/io/spec/convert.hpp"
#include "tune/tuner/shipment.hpp"

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
                               const host_resources& machine, const std::string& job_id) {
  auto work = make_job(from, job_id.empty() ? from.what.experiment.name : job_id, directory);
  if (!work)
    return work.error();
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
  settings.can_checkpoint = can_save(work->plan, all);
  auto labels = labels_of(work->plan);
  // A searcher that ends by itself counts its samples by itself.
  if ((*source)->traits().exhaustible)
    settings.max_trials = 0;
  return run_parts{std::move(settings),         std::move(*judge),
                   std::move(*source),          std::move(*stoppers),
                   node_of(from, all, machine), std::make_shared<const job>(std::move(*work)),
                   std::move(labels),           planned};
}

expected<shared_parts> make_shared_parts(const loaded_spec& from, const choices& all,
                                         const std::filesystem::path& directory,
                                         const host_resources& machine, bool workers_may_join) {
  std::optional<job_offer> shipment;
  if (workers_may_join) {
    auto made = shipment_of(from);
    if (!made)
      return made.error();
    shipment = std::move(*made);
  }
  auto parts = make_parts(from, all, directory, machine, shipment ? shipment->job : std::string{});
  if (!parts)
    return parts.error();
  if (workers_may_join && !from.origins.contains("cluster.queue_trials"))
    parts->settings.queue_trials = true;
  return shared_parts{std::move(*parts), std::move(shipment)};
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
