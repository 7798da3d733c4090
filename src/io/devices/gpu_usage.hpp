/// What an attempt has used of its GPUs, as a value. Private to devices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "devices/gpu_driver.hpp"
#include "tune/io/devices/device_meter.hpp"

#include <map>
#include <set>
#include <span>

namespace tune {

/// Readings by the index of the GPU.
using gpu_readings = std::map<std::uint32_t, gpu_reading>;

/// Adds up what readings tell of one attempt.
class gpu_usage {
public:
  explicit gpu_usage(std::vector<gpu_hold> held) : held_{std::move(held)} {}

  [[nodiscard]] const std::vector<gpu_hold>& held() const { return held_; }

  /// @param own The processes of the attempt, by the numbers that the readings use.
  void take(const gpu_readings& told, const std::set<std::int64_t>& own);
  [[nodiscard]] const gpu_use& so_far() const { return so_far_; }

private:
  std::vector<gpu_hold> held_;
  /// The last known energy of each GPU. [J]
  std::map<std::uint32_t, double> energies_;
  gpu_use so_far_;

  void take_energy(const gpu_hold& which, const gpu_reading& told);
};

/// Leaves out the processes of GPUs where a number belongs to no process that `exists`: then the
/// driver uses the numbers of another PID namespace, in which ours mean others.
void drop_foreign_numbers(gpu_readings& told, const std::function<bool(std::int64_t)>& exists);

} // namespace tune
