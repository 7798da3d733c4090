// SPDX-License-Identifier: BSD-3-Clause
#include "rank_orders.hpp"

#include "tune/actors/launch_token.hpp"

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

launch_order order_of_launch(const cmd::launch& what, const std::string& job, bool ranks,
                             const std::string& secret) {
  launch_order result;
  result.trial = what.trial.number;
  result.attempt = what.attempt;
  result.lease = what.where.id.number;
  result.job = job;
  result.config = {what.config};
  for (const auto& bundle : what.where.bundles)
    result.bundles.push_back(told_of(bundle));
  if (ranks)
    result.ranks = static_cast<std::uint32_t>(result.bundles.size());
  take_bundle(result, 0);
  result.restore_from = what.from_location;
  result.iteration = what.iteration;
  result.time_total_ns = what.time_total.count();
  result.ends = what.ends;
  result.costs = {what.costs};
  result.lacks_objective = what.lacks_objective;
  result.launch_token = launch_token_of(secret, attempt_claim{result});
  return result;
}

launch_order order_of_rank(const launch_order& first, std::uint32_t rank, std::uint16_t port) {
  auto result = first;
  result.rank = rank;
  result.port = port;
  take_bundle(result, rank);
  return result;
}

} // namespace tune
