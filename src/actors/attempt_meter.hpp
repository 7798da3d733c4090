/// Measures what the process of an attempt uses, everywhere where that can be told. Private to
/// actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include "tune/core/trial/energy_share.hpp"
#include "tune/io/devices/device_meter.hpp"
#include "tune/io/process/process_meter.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tune {

/// The GPUs that a process sees, those that are its own with their parts.
[[nodiscard]] std::vector<gpu_hold> gpus_held(const launch_order& order);

/// Joins what the kernel tells of the process with what the meter of the node tells of GPUs and
/// energy. Never waits.
class attempt_meter {
public:
  /// @param devices Null: GPUs and energy are not measured.
  void init(std::shared_ptr<device_meter> devices) { devices_ = std::move(devices); }

  /// The parameters are those of `process_meter::begin`.
  void begin(pid_t pid, bool is_used, const launch_order& order) {
    process_.begin(pid, is_used);
    gpus_.reset();
    energy_ = {};
    if (devices_ == nullptr)
      return;
    gpus_ = devices_->watch(pid, gpus_held(order));
    if (const auto now = devices_->processors())
      energy_.begin(*now);
  }

  [[nodiscard]] bool has_begun() const { return process_.has_begun(); }
  [[nodiscard]] cost_sheet read(instant now) { return joined(process_.read(now)); }
  /// As measured last.
  [[nodiscard]] cost_sheet so_far() { return joined(process_.so_far()); }
  /// Measures at once, whenever the last time was.
  [[nodiscard]] cost_sheet read_now() { return joined(process_.read_now()); }
  /// See `process_meter::is_gone`.
  [[nodiscard]] bool is_gone() const { return process_.is_gone(); }
  /// The process has ended.
  [[nodiscard]] cost_sheet end(const std::optional<process_usage>& used) {
    auto result = joined(process_.end(used));
    gpus_.reset();
    return result;
  }

private:
  std::shared_ptr<device_meter> devices_;
  process_meter process_;
  std::shared_ptr<const gpu_watch> gpus_;
  energy_share energy_;

  cost_sheet joined(cost_sheet result) {
    const auto cpu = result.of(cost_kind::cpu_s);
    const auto all = devices_ != nullptr && cpu ? devices_->processors() : std::nullopt;
    if (all)
      energy_.take(*all, *cpu);
    const auto used = gpus_ != nullptr ? gpus_->use() : gpu_use{};
    if (used.peak_bytes)
      result.set(cost_kind::peak_gpu_bytes, *used.peak_bytes);
    const auto of_processors = energy_.joules();
    if (of_processors || used.energy_j)
      result.set(cost_kind::energy_j, of_processors.value_or(0) + used.energy_j.value_or(0));
    return result;
  }
};

} // namespace tune
