// SPDX-License-Identifier: BSD-3-Clause
#include "worker/node_here.hpp"

#include "tune/core/cluster/node_labels.hpp"
#include "tune/core/resource/demands.hpp"
#include "tune/io/devices/devices.hpp"
#include "tune/io/process/memory_limit.hpp"

namespace tune::cli {

expected<node_settings> node_here(std::string name, const offered_request& offers,
                                  const choices& all,
                                  const std::function<void(const std::string&)>& warn) {
  auto machine = discover();
  if (auto lack = lack_of_gpus(machine, offers.gpus.value_or(0)); !lack.empty())
    return error{ec::impossible_request, "--gpus: " + lack};
  for (const auto& text : machine.warnings)
    warn("warning: " + text);
  node_settings result;
  result.name = std::move(name);
  result.capacity = machine.capacity();
  if (offers.cpus)
    result.capacity.cpu = amount::of(*offers.cpus);
  if (offers.gpus)
    result.capacity.gpu = amount::of(*offers.gpus);
  if (offers.memory)
    result.capacity.memory = *offers.memory;
  result.capacity.custom = offers.custom;
  for (const auto& x : offers.labels)
    result.labels.insert(given_label(x));
  for (const auto& x : offers.taints)
    result.labels.insert(given_taint(x));
  if (!can_limit_memory())
    result.labels.insert(memory_only_counted_label);
  for (const auto& gpu : machine.gpus)
    result.gpus.push_back(gpu.visible);
  result.trainables = std::make_shared<const trainable_registry>(all.trainables);
  return result;
}

} // namespace tune::cli
