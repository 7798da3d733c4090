// SPDX-License-Identifier: BSD-3-Clause
#include "rank_orders.hpp"

namespace tune {

bundle_info told_of(const bundle_grant& what) {
  bundle_info result;
  result.node = what.node;
  result.cpus = what.what.cpu.number();
  result.gpus = what.what.gpu.number();
  result.memory = what.what.memory;
  for (const auto& gpu : what.gpus)
    result.indices.push_back(gpu.device);
  return result;
}

void take_bundle(launch_order& order, std::uint32_t which) {
  if (which >= order.bundles.size())
    return;
  const auto& own = order.bundles[which];
  order.gpus = own.indices;
  order.cpus = own.cpus;
  order.gpu_amount = own.gpus;
  order.memory = own.memory;
}

launch_order order_of_rank(const launch_order& first, std::uint32_t rank, std::uint16_t port) {
  auto result = first;
  result.rank = rank;
  result.port = port;
  take_bundle(result, rank);
  return result;
}

} // namespace tune
