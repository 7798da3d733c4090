// SPDX-License-Identifier: BSD-3-Clause
#include "worker/node_here.hpp"

#include "tune/io/devices/devices.hpp"

namespace tune::cli {

node_settings node_here(std::string name, const offered_request& offers, const choices& all) {
  auto machine = discover();
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
  for (const auto& gpu : machine.gpus)
    result.gpus.push_back(gpu.visible);
  result.trainables = std::make_shared<const trainable_registry>(all.trainables);
  return result;
}

} // namespace tune::cli
