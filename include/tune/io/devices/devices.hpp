/// What this machine can offer: usable CPUs, memory and GPUs.
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

/// What a process on this machine may use.
struct host_resources {
  /// Those it may be scheduled on, cut by the quota of its control groups. [> 0]
  double cpus = 1;
  /// Bytes: physical memory, cut by the limit of its control groups.
  std::uint64_t memory = 0;
  /// In the order of their indices in `gpu_share`.
  std::vector<gpu_device> gpus;
  /// What went wrong and does not prevent a start, for people.
  std::vector<std::string> warnings;
  /// Why there are no more `gpus`: the driver does not work, or CUDA_VISIBLE_DEVICES hides some;
  /// empty: all that the driver lists are there, or there is no driver.
  std::string why_fewer_gpus;

  /// For the ledger. GPUs count whole.
  [[nodiscard]] resources capacity() const;
};

/// Where `discover` looks. The defaults are right but for tests.
struct discovery {
  /// Where `proc` and `sys` are found.
  std::filesystem::path root = "/";
  /// NVIDIA's management library.
  std::string gpu_library = "libnvidia-ml.so.1";
  /// What CUDA_VISIBLE_DEVICES says; nothing where it is not set.
  std::optional<std::string> visible_devices;

  /// Reads CUDA_VISIBLE_DEVICES from the environment.
  [[nodiscard]] static discovery from_environment();
};

/// Looks. Slow (some milliseconds): call once.
[[nodiscard]] host_resources discover(const discovery& where = discovery::from_environment());

/// Those of `all` that CUDA_VISIBLE_DEVICES = `text` leaves, in its order and by its names:
/// indices, which may have a plus, leading zeros or 0x, or UUIDs in any case, which may be cut
/// short as long as they stay unique. As CUDA does, the first entry that names no GPU ends the
/// list, and where two entries name the same GPU there is none. A "MIG-…" entry is a GPU of its
/// own. Entries that are spelt otherwise, such as "0x" or "1a", CUDA may take for something else.
[[nodiscard]] std::vector<gpu_device> only_visible(const std::vector<gpu_device>& all,
                                                   std::string_view text);

/// Why this machine cannot offer so many GPUs: it has some, and fewer; a trial that got one of the
/// others would find none. Empty: it has them, or nobody knows of any: there is no driver, as for
/// tests and other accelerators, or all are hidden.
[[nodiscard]] std::string lack_of_gpus(const host_resources& machine, double offered);

/// The value of CUDA_VISIBLE_DEVICES for a trial that holds `shares` of `devices`: "0,3", or ""
/// for none. Shares of devices that do not exist are left out.
[[nodiscard]] std::string visible_devices_text(std::span<const gpu_share> shares,
                                               std::span<const gpu_device> devices);

} // namespace tune
