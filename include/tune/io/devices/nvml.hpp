/// Lists the NVIDIA GPUs of this machine through the driver's own library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tune {

/// A GPU that trials may use.
struct gpu_device {
  std::string name;
  /// The UUID, "GPU-…".
  std::string uuid;
  /// Memory of the GPU; 0 if unknown. [bytes]
  std::uint64_t memory = 0;
  /// The GPU's name in CUDA_VISIBLE_DEVICES: an index, or a UUID if the user wrote one.
  std::string visible;
  friend bool operator==(const gpu_device&, const gpu_device&) = default;
};

/// Lists the GPUs, in the driver's order. The library is opened for this call only and never
/// linked; without the library, the list is empty. A GPU that does not answer is left out.
///
/// @param library File name or path of libnvidia-ml.
/// @errors `ec::process` with the library's error code if the library exists but does not work.
[[nodiscard]] expected<std::vector<gpu_device>> nvml_devices(const std::string& library);

} // namespace tune
