/// The functions of NVIDIA's management library that are used here. Private to devices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// The library, opened at run time: it comes with the driver, and its header is in no package that
/// Debian's main section has. All functions return 0, or one of the codes below. For any one thread
/// at a time.
class nvml_library {
public:
  using device = struct nvml_device_tag*;
  struct memory_info {
    unsigned long long total = 0;
    unsigned long long free = 0;
    unsigned long long used = 0;
  };
  struct process {
    std::int64_t pid = 0;
    std::uint64_t bytes = 0;
  };

  static constexpr int not_supported = 3;
  static constexpr int insufficient_size = 7;
  static constexpr int function_not_found = 13;

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, device*) = nullptr;
  int (*name)(device, char*, unsigned) = nullptr;
  int (*uuid)(device, char*, unsigned) = nullptr;
  int (*memory)(device, memory_info*) = nullptr;
  /// Null where the driver is too old for it, as are those below.
  int (*by_uuid)(const char*, device*) = nullptr;
  /// Since the driver was loaded. [mJ]
  int (*energy)(device, unsigned long long*) = nullptr;

  /// @param file Name or path of libnvidia-ml.
  /// @returns null if there is no such library.
  /// @errors `ec::process` if it lacks a function that all drivers have.
  [[nodiscard]] static expected<std::unique_ptr<nvml_library>> open(const std::string& file);

  [[nodiscard]] std::string text(int (*get)(device, char*, unsigned), device which) const;

  /// Processes that compute on a GPU, as far as their memory is told.
  /// @returns one of the codes.
  [[nodiscard]] int processes(device which, std::vector<process>& to) const;
  /// The name of the function that `processes` calls.
  [[nodiscard]] const char* processes_name() const { return processes_name_; }

private:
  struct closer {
    void operator()(void* library) const;
  };
  using list_processes = int (*)(device, unsigned*, void*);

  std::unique_ptr<void, closer> library_;
  list_processes list_ = nullptr;
  const char* processes_name_ = "nvmlDeviceGetComputeRunningProcesses_v3";

  explicit nvml_library(void* library) : library_{library} {}
  [[nodiscard]] expected<void> bind();
  template <class Function>
  bool load(const char* symbol, Function& into);
};

/// "the GPU library failed: WHAT gave CODE".
[[nodiscard]] error nvml_failure(const std::string& what, int code);

/// The processes in a list that the library wrote into `memory`, all bytes of which were
/// `nvml_unwritten` before. Drivers disagree about how long an entry is, whatever the version in
/// the name of the function: the end of what was written tells.
[[nodiscard]] std::vector<nvml_library::process>
nvml_processes_in(const std::vector<unsigned char>& memory, unsigned count);

inline constexpr unsigned char nvml_unwritten = 0xA5;

/// The longest entry of such a list. [bytes]
inline constexpr std::size_t nvml_longest_entry = 32;

} // namespace tune
