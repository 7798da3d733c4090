// SPDX-License-Identifier: BSD-3-Clause
#include "trainables.hpp"

namespace tune {

std::filesystem::path trial_directory(const trainable_start& what) {
  return what.job->directory / "trials" / to_text(trial_id{what.order.trial});
}

checkpoint_directory checkpoints_of(const trainable_start& what) {
  return {what.checkpoints, trial_id{what.order.trial}, what.order.attempt};
}

trial_context context_of(const trainable_start& what) {
  trial_context result;
  result.trial_id = to_text(trial_id{what.order.trial});
  result.experiment = what.job->experiment;
  result.directory = trial_directory(what);
  result.cpus = what.order.cpus;
  result.gpus = what.order.gpu_amount;
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
