// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/devices/nvml.hpp"

#include "devices/nvml_library.hpp"

#include <optional>

namespace tune {

namespace {

std::optional<gpu_device> describe(const nvml_library& api, unsigned index) {
  nvml_library::device device = nullptr;
  if (api.by_index(index, &device) != 0)
    return std::nullopt;
  nvml_library::memory_info memory;
  if (api.memory(device, &memory) != 0)
    memory = {};
  return gpu_device{api.text(api.name, device), api.text(api.uuid, device), memory.total,
                    std::to_string(index)};
}

} // namespace

expected<std::vector<gpu_device>> nvml_devices(const std::string& library) {
  auto opened = nvml_library::open(library);
  if (!opened)
    return opened.error();
  if (*opened == nullptr)
    return std::vector<gpu_device>{};
  const auto& api = **opened;
  if (auto code = api.init(); code != 0)
    return nvml_failure("nvmlInit_v2", code);
  unsigned count = 0;
  auto code = api.count(&count);
  std::vector<gpu_device> result;
  for (unsigned i = 0; code == 0 && i < count; ++i) {
    if (auto device = describe(api, i))
      result.push_back(std::move(*device));
  }
  api.shutdown();
  if (code != 0)
    return nvml_failure("nvmlDeviceGetCount_v2", code);
  return result;
}

} // namespace tune
