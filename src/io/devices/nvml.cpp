// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/devices/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <memory>
#include <optional>

namespace tune {

namespace {

// The signatures of the library's C interface that are used here.
using device_handle = struct nvml_device_tag*;
struct memory_info {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};
using plain_call = int (*)();
using get_count = int (*)(unsigned*);
using get_handle = int (*)(unsigned, device_handle*);
using get_text = int (*)(device_handle, char*, unsigned);
using get_memory = int (*)(device_handle, memory_info*);

struct closer {
  void operator()(void* library) const { ::dlclose(library); }
};

/// The open library and its functions.
class nvml {
public:
  plain_call init = nullptr;
  plain_call shutdown = nullptr;
  get_count count = nullptr;
  get_handle handle = nullptr;
  get_text name = nullptr;
  get_text uuid = nullptr;
  get_memory memory = nullptr;

  explicit nvml(void* library) : library_{library} {}

  expected<void> bind() {
    load("nvmlInit_v2", init);
    load("nvmlShutdown", shutdown);
    load("nvmlDeviceGetCount_v2", count);
    load("nvmlDeviceGetHandleByIndex_v2", handle);
    load("nvmlDeviceGetName", name);
    load("nvmlDeviceGetUUID", uuid);
    load("nvmlDeviceGetMemoryInfo", memory);
    if (!missing_.empty())
      return error{ec::process, "the GPU library has no function " + missing_};
    return {};
  }

private:
  std::unique_ptr<void, closer> library_;
  std::string missing_;

  template <class Function>
  void load(const char* symbol, Function& into) {
    into = reinterpret_cast<Function>(::dlsym(library_.get(), symbol));
    if (into == nullptr)
      missing_ = symbol;
  }
};

error failed(const std::string& what, int code) {
  return {ec::process, "the GPU library failed: " + what + " gave " + std::to_string(code)};
}

std::string text_of(get_text get, device_handle device) {
  std::array<char, 128> buffer{};
  if (get(device, buffer.data(), buffer.size() - 1) != 0)
    return {};
  return buffer.data();
}

std::optional<gpu_device> describe(const nvml& api, unsigned index) {
  device_handle device = nullptr;
  if (api.handle(index, &device) != 0)
    return std::nullopt;
  memory_info memory;
  if (api.memory(device, &memory) != 0)
    memory = {};
  return gpu_device{text_of(api.name, device), text_of(api.uuid, device), memory.total,
                    std::to_string(index)};
}

} // namespace

expected<std::vector<gpu_device>> nvml_devices(const std::string& library) {
  auto* opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr)
    return std::vector<gpu_device>{};
  nvml api{opened};
  if (auto bound = api.bind(); !bound)
    return bound.error();
  if (auto code = api.init(); code != 0)
    return failed("nvmlInit_v2", code);
  unsigned count = 0;
  auto code = api.count(&count);
  std::vector<gpu_device> result;
  for (unsigned i = 0; code == 0 && i < count; ++i) {
    if (auto device = describe(api, i))
      result.push_back(std::move(*device));
  }
  api.shutdown();
  if (code != 0)
    return failed("nvmlDeviceGetCount_v2", code);
  return result;
}

} // namespace tune
