// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/parts.hpp"

#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/sharing.hpp"
#include "tune/tuner/running_sinks.hpp"
#include "tune/tuner/shipment.hpp"

namespace tune {

namespace {

node_settings node_of(const loaded_spec& from, const choices& all, const host_resources& machine) {
  node_settings result;
  result.capacity = offered_by(from.what, machine.capacity());
  result.labels = given_labels(from.what);
  for (const auto& gpu : machine.gpus)
    result.gpus.push_back(gpu.visible);
  result.trainables = std::make_shared<const trainable_registry>(all.trainables);
  return result;
}

/// Labels that a node must bear.
node_labels labels_of(const trainable_plan& plan) {
  if (const auto* thread = std::get_if<run_in_thread>(&plan))
    return {trainable_label(thread->trainable)};
  if (const auto* own = std::get_if<run_as_actor>(&plan))
    return {trainable_label(own->trainable)};
  // A plugin is brought along.
  if (const auto* host = std::get_if<run_in_host>(&plan); host != nullptr && host->plugin.empty())
    return {trainable_label(host->trainable)};
  return {};
}

} // namespace

expected<run_parts> make_parts(const loaded_spec& from, const choices& all,
                               const std::filesystem::path& directory,
                               const host_resources& machine, const std::string& job_id) {
  auto work = make_job(from, job_id.empty() ? from.what.experiment.name : job_id, directory);
  if (!work)
    return work.error();
  auto news = std::make_shared<searcher_news>();
  auto made = make_rule_parts(from, all, directory, nullptr, news);
  if (!made)
    return made.error();
  auto labels = labels_of(work->plan);
  labels.merge(demands_in(from.what));
  auto& rules = made->rules;
  return run_parts{std::move(made->settings),
                   std::move(rules.judge),
                   std::move(rules.source),
                   std::move(rules.stoppers),
                   node_of(from, all, machine),
                   std::make_shared<const job>(std::move(*work)),
                   std::move(labels),
                   from.space,
                   all.stoppers,
                   chosen_sinks(from.what, all.sinks, directory),
                   from.what.sinks.finish_timeout,
                   std::move(news)};
}

expected<shared_parts> make_shared_parts(const loaded_spec& from, const choices& all,
                                         const std::filesystem::path& directory,
                                         const host_resources& machine, bool workers_may_join,
                                         const reading_watch& goes_on) {
  std::optional<job_offer> shipment;
  if (workers_may_join) {
    auto made = shipment_of(from, goes_on);
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
