/// Asks the driver again and again what GPUs do. Private to devices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "devices/nvml_library.hpp"

#include "tune/core/error.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// What the driver tells of a GPU at one moment; what it does not tell is absent.
struct gpu_reading {
  /// Energy since the driver was loaded. [J]
  std::optional<double> energy_j;
  std::vector<nvml_library::process> processes;
};

/// The driver's library, initialised once. Calls of it may take a tenth of a second and more. What
/// has failed once is not asked for again. For any one thread at a time.
class gpu_driver {
public:
  /// @param library File name or path of libnvidia-ml.
  /// @param names   The GPUs, as `CUDA_VISIBLE_DEVICES` names them: an index, a UUID or the
  ///                beginning of one, or a MIG instance.
  /// @returns null if there is no library.
  /// @errors `ec::process` if it does not work.
  [[nodiscard]] static expected<std::unique_ptr<gpu_driver>> open(const std::string& library,
                                                                  std::vector<std::string> names);
  ~gpu_driver();
  gpu_driver(const gpu_driver&) = delete;
  gpu_driver& operator=(const gpu_driver&) = delete;

  /// @param which Index of a name.
  [[nodiscard]] gpu_reading read(std::size_t which);

  /// What has failed since the last call, for the user: the GPUs of which the same is to be said
  /// are in one text.
  [[nodiscard]] std::vector<std::string> take_troubles();

private:
  struct gpu {
    std::string name;
    nvml_library::device handle = nullptr;
    bool tells_energy = true;
    bool tells_processes = true;
  };

  std::unique_ptr<nvml_library> api_;
  std::vector<gpu> gpus_;
  /// Names of GPUs by what is to be said of them.
  std::map<std::string, std::string> troubles_;

  explicit gpu_driver(std::unique_ptr<nvml_library> api) : api_{std::move(api)} {}
  void find(gpu& which);
  /// The GPU whose UUID begins with `name`, in any case.
  [[nodiscard]] nvml_library::device find_by_beginning(const std::string& name) const;
  void note(const gpu& which, const char* function, int code, const char* loss);
};

} // namespace tune
