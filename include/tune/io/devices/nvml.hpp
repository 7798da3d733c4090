/// NVIDIA GPUs of this machine, as the driver's own library lists them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune {

/// One GPU that trials may use.
struct gpu_device {
  std::string name;
  /// "GPU-…".
  std::string uuid;
  /// Bytes; 0 where unknown.
  std::uint64_t memory = 0;
  /// Its name in CUDA_VISIBLE_DEVICES: an index, or a UUID where the user wrote one.
  std::string visible;
  friend bool operator==(const gpu_device&, const gpu_device&) = default;
};

/// Lists the GPUs, in the driver's order. The library is opened for this call only and never
/// linked; where there is none, there are no GPUs. A GPU that does not answer is left out.
///
/// @param library File name or path of libnvidia-ml.
/// @errors `ec::process` where the library is there but does not work, with its code.
[[nodiscard]] expected<std::vector<gpu_device>> nvml_devices(const std::string& library);

} // namespace tune
