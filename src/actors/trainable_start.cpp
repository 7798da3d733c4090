// SPDX-License-Identifier: BSD-3-Clause
#include "trainables.hpp"

#include "tune/io/checkpoint/pause_memory.hpp"

namespace tune {

std::filesystem::path trial_directory(const trainable_start& what) {
  return what.job->directory / "trials" / to_text(trial_id{what.order.trial});
}

checkpoint_directory checkpoints_of(const trainable_start& what) {
  return {what.checkpoints, trial_id{what.order.trial}, what.order.attempt};
}

std::filesystem::path memory_of(const trainable_start& what) {
  const auto& root = what.node->memory;
  return root.empty() || what.job->pause_memory == 0 ? std::filesystem::path{}
                                                     : pause_directory(root, what.job->id);
}

expected<begun_draft> begin_draft(checkpoint_directory& names, const trainable_start& what,
                                  bool in_memory) {
  const auto memory = in_memory ? memory_of(what) : std::filesystem::path{};
  if (!memory.empty()) {
    if (auto begun = names.begin_below(memory))
      return begun_draft{std::move(*begun), true};
  }
  auto begun = names.begin();
  if (!begun)
    return begun.error();
  return begun_draft{std::move(*begun), false};
}

std::filesystem::path export_directory(const trainable_start& what) {
  return what.checkpoints / checkpoint_folder(trial_id{what.order.trial}, what.order.attempt)
         / (std::string{"checkpoint_export"} + draft_suffix);
}

trial_context context_of(const trainable_start& what) {
  trial_context result;
  result.trial_id = to_text(trial_id{what.order.trial});
  result.experiment = what.job->experiment;
  result.directory = trial_directory(what);
  result.cpus = what.order.cpus;
  result.gpus = what.order.gpu_amount;
  result.exports = what.job->exports;
  if (!result.exports.empty())
    result.export_directory = export_directory(what);
  for (auto index : what.order.gpus) {
    if (!result.visible_devices.empty())
      result.visible_devices += ',';
    result.visible_devices
        += index < what.node->gpus.size() ? what.node->gpus[index] : std::to_string(index);
  }
  return result;
}

std::optional<std::filesystem::path> restore_path(const trainable_start& what) {
  if (what.restore.empty())
    return std::nullopt;
  return what.restore;
}

} // namespace tune
