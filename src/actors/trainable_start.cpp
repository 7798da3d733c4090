// SPDX-License-Identifier: BSD-3-Clause
#include "attempt_meter.hpp"
#include "trainables.hpp"

#include "tune/io/checkpoint/pause_memory.hpp"

#include <algorithm>

namespace tune {

std::filesystem::path trial_directory(const trainable_start& what) {
  return what.job->directory / "trials" / to_text(trial_id{what.order.trial});
}

checkpoint_directory checkpoints_of(const trainable_start& what) {
  return {what.checkpoints, trial_id{what.order.trial}, what.order.attempt};
}

checkpoint_names names_of(const trainable_start& what) {
  return {trial_id{what.order.trial}, what.order.attempt};
}

std::filesystem::path memory_of(const trainable_start& what) {
  const auto& root = what.node->memory;
  return root.empty() || what.job->pause_memory == 0 ? std::filesystem::path{}
                                                     : pause_directory(root, what.job->id);
}

std::filesystem::path export_name(const trainable_start& what) {
  return checkpoint_folder(trial_id{what.order.trial}, what.order.attempt)
         / (std::string{"checkpoint_export"} + draft_suffix);
}

std::filesystem::path export_directory(const trainable_start& what) {
  return what.checkpoints / export_name(what);
}

namespace {

trial_bundle bundle_of(const bundle_info& x) {
  trial_bundle result{x.node, x.address, x.cpus, x.gpus, x.memory, {}};
  for (const auto& device : x.devices)
    result.devices += (result.devices.empty() ? "" : ",") + device;
  return result;
}

/// The GPUs that a rank sees: those of all ranks on its node, in their order, as under torchrun.
/// Where each rank has one GPU, its own has the index LOCAL_RANK.
std::vector<std::uint32_t> visible_gpus(const launch_order& order) {
  if (order.ranks == 0 || order.rank >= order.bundles.size())
    return order.gpus;
  std::vector<std::uint32_t> result;
  for (const auto& x : order.bundles) {
    if (x.node != order.bundles[order.rank].node)
      continue;
    for (auto index : x.indices) {
      if (std::find(result.begin(), result.end(), index) == result.end())
        result.push_back(index);
    }
  }
  return result;
}

} // namespace

std::vector<gpu_hold> gpus_held(const launch_order& order) {
  const auto own = order.gpus.size();
  const auto share
      = own > 0 ? std::min(1.0, static_cast<double>(order.gpu_amount) / static_cast<double>(own))
                : 0;
  std::vector<gpu_hold> result;
  for (auto index : visible_gpus(order)) {
    const auto is_own = std::find(order.gpus.begin(), order.gpus.end(), index) != order.gpus.end();
    result.push_back({index, is_own ? share : 0});
  }
  return result;
}

std::vector<std::string> exports_of(const trainable_start& what) {
  return what.order.rank == 0 ? what.job->exports : std::vector<std::string>{};
}

trial_context context_of(const trainable_start& what) {
  trial_context result;
  result.trial_id = to_text(trial_id{what.order.trial});
  result.experiment = what.job->experiment;
  result.directory = trial_directory(what);
  result.cpus = what.order.cpus;
  result.gpus = what.order.gpu_amount;
  result.exports = exports_of(what);
  if (!result.exports.empty())
    result.export_directory = export_directory(what);
  for (auto index : visible_gpus(what.order)) {
    if (!result.visible_devices.empty())
      result.visible_devices += ',';
    result.visible_devices
        += index < what.node->gpus.size() ? what.node->gpus[index] : std::to_string(index);
  }
  for (const auto& x : what.order.bundles)
    result.bundles.push_back(bundle_of(x));
  result.ends = what.order.ends;
  return result;
}

std::optional<std::filesystem::path> restore_path(const trainable_start& what) {
  if (what.restore.empty())
    return std::nullopt;
  return what.restore;
}

attempt_report message_of(const attempt_key& attempt, const report& made) {
  attempt_report result;
  result.attempt = attempt;
  result.number = made.number;
  result.iteration = made.iteration;
  result.time_this_iter_ns = made.time_this_iter.count();
  result.time_total_ns = made.time_total.count();
  result.timestamp_ms = made.timestamp_ms;
  result.done = made.done;
  result.metrics = {made.metrics};
  return result;
}

} // namespace tune
