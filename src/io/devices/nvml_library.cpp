// SPDX-License-Identifier: BSD-3-Clause
#include "devices/nvml_library.hpp"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <limits>

namespace tune {

namespace {

/// Processes that a GPU may have here; what a list holds beyond is not looked at.
constexpr unsigned most_listed = 4096;

/// The library's word for memory that it does not tell.
constexpr auto untold = std::numeric_limits<std::uint64_t>::max();

/// Where the last written byte ends.
std::size_t written_bytes(const std::vector<unsigned char>& memory) {
  auto end = memory.size();
  while (end > 0 && memory[end - 1] == nvml_unwritten)
    --end;
  return end;
}

/// The length of each of `count` entries. [16, 24 or 32 bytes]
std::size_t entry_length(const std::vector<unsigned char>& memory, unsigned count) {
  constexpr std::size_t documented = 24;
  const auto written = written_bytes(memory);
  for (std::size_t length : {std::size_t{16}, documented, nvml_longest_entry}) {
    if (written <= length * count)
      return length;
  }
  // It has written to memory behind its entries as well.
  return documented;
}

} // namespace

void nvml_library::closer::operator()(void* library) const {
  ::dlclose(library);
}

template <class Function>
bool nvml_library::load(const char* symbol, Function& into) {
  into = reinterpret_cast<Function>(::dlsym(library_.get(), symbol));
  return into != nullptr;
}

expected<void> nvml_library::bind() {
  const char* missing = nullptr;
  auto need = [&](const char* symbol, auto& into) {
    if (!load(symbol, into))
      missing = symbol;
  };
  need("nvmlInit_v2", init);
  need("nvmlShutdown", shutdown);
  need("nvmlDeviceGetCount_v2", count);
  need("nvmlDeviceGetHandleByIndex_v2", by_index);
  need("nvmlDeviceGetName", name);
  need("nvmlDeviceGetUUID", uuid);
  need("nvmlDeviceGetMemoryInfo", memory);
  if (missing != nullptr)
    return error{ec::process, std::string{"the GPU library has no function "} + missing};
  load("nvmlDeviceGetHandleByUUID", by_uuid);
  load("nvmlDeviceGetTotalEnergyConsumption", energy);
  if (!load(processes_name_, list_)) {
    processes_name_ = "nvmlDeviceGetComputeRunningProcesses_v2";
    load(processes_name_, list_);
  }
  return {};
}

expected<std::unique_ptr<nvml_library>> nvml_library::open(const std::string& file) {
  auto* opened = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr)
    return std::unique_ptr<nvml_library>{};
  std::unique_ptr<nvml_library> result{new nvml_library{opened}};
  if (auto bound = result->bind(); !bound)
    return bound.error();
  return result;
}

std::string nvml_library::text(int (*get)(device, char*, unsigned), device which) const {
  std::array<char, 128> buffer{};
  if (get(which, buffer.data(), buffer.size() - 1) != 0)
    return {};
  return buffer.data();
}

int nvml_library::processes(device which, std::vector<process>& to) const {
  if (list_ == nullptr)
    return function_not_found;
  int code = insufficient_size;
  for (unsigned room = 64; code == insufficient_size && room <= most_listed; room *= 4) {
    std::vector<unsigned char> memory(room * nvml_longest_entry, nvml_unwritten);
    auto listed = room;
    code = list_(which, &listed, memory.data());
    if (code == 0)
      to = nvml_processes_in(memory, listed < room ? listed : room);
  }
  return code;
}

error nvml_failure(const std::string& what, int code) {
  return {ec::process, "the GPU library failed: " + what + " gave " + std::to_string(code)};
}

std::vector<nvml_library::process> nvml_processes_in(const std::vector<unsigned char>& memory,
                                                     unsigned count) {
  constexpr std::size_t memory_offset = 8;
  const auto length = entry_length(memory, count);
  std::vector<nvml_library::process> result;
  for (std::size_t i = 0; i < count && (i + 1) * length <= memory.size(); ++i) {
    unsigned pid = 0;
    std::uint64_t bytes = 0;
    std::memcpy(&pid, memory.data() + i * length, sizeof pid);
    std::memcpy(&bytes, memory.data() + i * length + memory_offset, sizeof bytes);
    if (bytes != untold)
      result.push_back({pid, bytes});
  }
  return result;
}

} // namespace tune
