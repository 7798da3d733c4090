// SPDX-License-Identifier: BSD-3-Clause
#include "devices/gpu_usage.hpp"

#include <algorithm>

namespace tune {

void gpu_usage::take(const gpu_readings& told, const std::set<std::int64_t>& own) {
  std::optional<double> memory;
  for (const auto& hold : held_) {
    const auto found = told.find(hold.device);
    if (found == told.end())
      continue;
    take_energy(hold, found->second);
    for (const auto& x : found->second.processes) {
      if (own.count(x.pid) != 0)
        memory = memory.value_or(0) + static_cast<double>(x.bytes);
    }
  }
  if (memory)
    so_far_.peak_bytes = std::max(so_far_.peak_bytes.value_or(0), *memory);
}

void gpu_usage::take_energy(const gpu_hold& which, const gpu_reading& told) {
  if (which.share <= 0 || !told.energy_j)
    return;
  const auto [last, is_first] = energies_.try_emplace(which.device, *told.energy_j);
  // A driver that was loaded again counts from 0.
  const auto more = std::max(0.0, *told.energy_j - last->second);
  last->second = *told.energy_j;
  if (!is_first)
    so_far_.energy_j = so_far_.energy_j.value_or(0) + more * which.share;
}

void drop_foreign_numbers(gpu_readings& told, const std::function<bool(std::int64_t)>& exists) {
  for (auto& [device, reading] : told) {
    auto& all = reading.processes;
    if (!std::all_of(all.begin(), all.end(), [&](const auto& x) { return exists(x.pid); }))
      all.clear();
  }
}

} // namespace tune
