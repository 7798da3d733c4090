/// Measures what attempts use of GPUs, and what the processors of the machine use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/trial/energy_share.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// A GPU as an attempt has it.
struct gpu_hold {
  /// Its index among the GPUs of the node.
  std::uint32_t device = 0;
  /// The part that is its own; 0: it only sees it. [0 to 1]
  double share = 0;
};

/// What an attempt has used of its GPUs, as far as known.
struct gpu_use {
  /// Most memory that its processes had on these GPUs at a measurement. [bytes]
  std::optional<double> peak_bytes;
  /// Energy of its GPUs, each by its share. [J]
  std::optional<double> energy_j;
};

/// An attempt whose GPUs are measured for as long as this lives.
class gpu_watch {
public:
  virtual ~gpu_watch() = default;
  /// What is known by now. For any thread; never waits for the driver.
  [[nodiscard]] virtual gpu_use use() const = 0;
};

/// Has a thread of its own, since calls of a GPU's driver may take long. The driver is initialised
/// once; where it fails, that is told once and no longer measured. One per node. For any thread.
class device_meter {
public:
  /// Least time between two measurements of GPUs.
  static constexpr std::chrono::milliseconds least_pause{100};
  /// The driver is asked for at most one of so many parts of the time.
  static constexpr int most_share = 10;

  struct options {
    /// The GPUs of the node, as `CUDA_VISIBLE_DEVICES` names them.
    std::vector<std::string> gpus = {};
    /// Takes texts for the user, from any thread; null: nobody is told.
    std::function<void(const std::string&)> tell = {};
    /// File name or path of NVIDIA's management library.
    std::string gpu_library = "libnvidia-ml.so.1";
    /// Where the kernel shows the energy of processors.
    std::filesystem::path zones = "/sys/class/powercap";
  };

  explicit device_meter(options how);
  /// Waits for the thread, unless the driver does not answer: then the thread is left to itself.
  ~device_meter();
  device_meter(const device_meter&) = delete;
  device_meter& operator=(const device_meter&) = delete;

  /// Begins to measure what a process and its descendants use.
  /// @returns null if it holds no GPU that could be measured.
  [[nodiscard]] std::shared_ptr<const gpu_watch> watch(pid_t leader, std::vector<gpu_hold> held);

  /// What all processors have used; nothing if that is not told.
  [[nodiscard]] std::optional<machine_use> processors();

private:
  struct content;
  std::shared_ptr<content> content_;
};

} // namespace tune
