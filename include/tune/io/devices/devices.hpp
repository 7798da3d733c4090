/// Resources of this machine: usable CPUs, memory and GPUs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/placement.hpp"
#include "tune/core/resource/resources.hpp"
#include "tune/io/devices/nvml.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// Resources that a process on this machine may use.
struct host_resources {
  /// Number of CPUs the process may be scheduled on, limited by the quota of its control groups. [>
  /// 0]
  double cpus = 1;
  /// Physical memory, limited by the process's control groups. [bytes]
  std::uint64_t memory = 0;
  /// The GPUs, in the order of their indices in `gpu_share`.
  std::vector<gpu_device> gpus;
  /// Problems that do not prevent a start, for the user.
  std::vector<std::string> warnings;
  /// Why there are no more `gpus`: the driver does not work, or CUDA_VISIBLE_DEVICES hides some.
  /// Empty if all GPUs that the driver lists are there, or if there is no driver.
  std::string why_fewer_gpus;

  /// The capacity for the ledger. GPUs are counted as whole devices.
  [[nodiscard]] resources capacity() const;
};

/// Sources that `discover` reads. Only tests need other values than the defaults.
struct discovery {
  /// Directory that contains `proc` and `sys`.
  std::filesystem::path root = "/";
  /// File name of NVIDIA's management library.
  std::string gpu_library = "libnvidia-ml.so.1";
  /// Value of CUDA_VISIBLE_DEVICES; empty if it is not set.
  std::optional<std::string> visible_devices;

  /// Reads CUDA_VISIBLE_DEVICES from the environment.
  [[nodiscard]] static discovery from_environment();
};

/// Detects the machine's resources. Slow (some milliseconds): call once.
[[nodiscard]] host_resources discover(const discovery& where = discovery::from_environment());

/// The GPUs of `all` that CUDA_VISIBLE_DEVICES = `text` selects, in the order and by the names of
/// `text`: indices, which may have a plus, leading zeros or 0x, or UUIDs in any case, which may be
/// shortened as long as they stay unique. As in CUDA, the first entry that names no GPU ends the
/// list, and there is none if two entries name the same GPU. A "MIG-…" entry counts as a GPU. Other
/// spellings, such as "1a", name no GPU here; CUDA may read them differently.
[[nodiscard]] std::vector<gpu_device> only_visible(const std::vector<gpu_device>& all,
                                                   std::string_view text);

/// Why this machine cannot offer so many GPUs: it has some, but fewer, and a trial that was granted
/// one of the others would find none. Empty if it has them, or if none is known: there is no driver
/// (as for tests and other accelerators), or all are hidden.
[[nodiscard]] std::string lack_of_gpus(const host_resources& machine, double offered);

/// The value of CUDA_VISIBLE_DEVICES for a trial that holds `shares` of `devices`: "0,3", or ""
/// for none. Shares of devices that do not exist are left out.
[[nodiscard]] std::string visible_devices_text(std::span<const gpu_share> shares,
                                               std::span<const gpu_device> devices);

} // namespace tune
